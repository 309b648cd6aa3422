package loader

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/build/archive"
	"github.com/slipway-dev/slipway/bundle"
)

// Reload scans the plugin directories. It starts new plugins, swaps changed ones
// without dropping a call, starts those again that could not start, and stops those that
// are gone. An unchanged plugin that crashes still waits for its next start. Reload returns
// when every such plugin has started, failed to start or stopped. Plugins and Faults report
// what failed; the error is about the loader itself.
//
// A plugin whose plugin.json has become invalid stays mounted with its previous one.
func (l *Loader) Reload(ctx context.Context) error {
	return l.reload(ctx, func(string) bool { return true })
}

// ReloadPlugin is Reload for one plugin: others that have not changed are left alone.
func (l *Loader) ReloadPlugin(ctx context.Context, id string) error {
	return l.reload(ctx, func(other string) bool { return other == id })
}

func (l *Loader) reload(ctx context.Context, isWanted func(id string) bool) error {
	updated, gone, err := l.scan(isWanted, nil)
	if err != nil {
		return err
	}
	for _, p := range gone {
		select {
		case <-p.done:
		case <-ctx.Done():
			return fmt.Errorf("wait for plugin %s to stop: %w", p.id, ctx.Err())
		}
	}
	for _, p := range updated {
		if !isWanted(p.id) {
			continue
		}
		if err := p.Settled(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Refresh is Reload after changes to files. It skips plugins whose plugin.json and executable
// are unchanged, even if they are not running, and plugins with a file in moving, the sorted
// paths of files that are still being written. It does not wait for processes.
func (l *Loader) Refresh(moving []string) error {
	_, _, err := l.scan(func(string) bool { return false }, moving)
	return err
}

// scan brings the plugins in line with the plugin directories. It returns the plugins that
// it updated and those that it stops.
func (l *Loader) scan(isWanted func(id string) bool, moving []string) (updated, gone []*Plugin, err error) {
	l.scanning.Lock()
	defer l.scanning.Unlock()
	before := map[string]stamps{}
	for _, p := range l.Plugins() {
		before[p.id] = stampsOf(p.mounted())
	}
	discovered, faults := bundle.Discover(l.options.Dirs...)
	found, refused := l.options.verify(discovered)
	faults = append(faults, refused...)
	order := startOrder(found)
	taken := map[string]stamps{} // before the lock: the files may be on a slow network
	for _, next := range order {
		taken[next.Metadata.ID] = stampsOf(next.mounted)
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, nil, errors.New("reload plugins: the loader is closed")
	}
	isFound := map[string]bool{}
	for _, next := range order {
		b := next.mounted
		id := b.Metadata.ID
		p, isMounted := l.plugins[id]
		isFound[id] = true
		if isAnyMoving(moving, b) {
			delete(l.stamps, id) // a later scan must see it
			continue
		}
		now := taken[id]
		isUnchanged := now.isSame(l.stamps[id])
		if isMounted && !now.wasRead(before[id]) {
			now = stamps{} // a later scan must see the change
		}
		l.stamps[id] = now
		switch {
		case !isMounted:
			p = newPlugin(b, now, l.options, l.runDir, l.starts, l.required(next.after))
			l.plugins[id] = p
		case isUnchanged && !isWanted(id):
			continue
		default:
			p.update(b, now)
		}
		updated = append(updated, p)
	}
	for id, p := range l.plugins {
		if isFound[id] {
			continue
		}
		delete(l.stamps, id)
		if b := p.mounted(); slices.ContainsFunc(faults, func(f bundle.Fault) bool { return keeps(f, b.Plugin, moving) }) {
			found = append(found, b)
			continue
		}
		gone = append(gone, p)
		delete(l.plugins, id)
		p.removed()
		l.stopping.Go(p.stop)
	}
	unmet := l.options.unmet(startOrder(found))
	l.logNew("plugin not mounted", faults, l.faults)
	l.logNew("plugin mounted with unmet requirements", unmet, l.unmet)
	bundle.KeepSince(l.faults, faults, time.Now())
	bundle.KeepSince(l.unmet, unmet, time.Now())
	l.faults, l.unmet = faults, unmet
	l.revision++
	return updated, gone, nil
}

// keeps reports whether a mounted plugin stays mounted in spite of a fault: its files may be
// half written, or come from a broken build.
func keeps(f bundle.Fault, p bundle.Plugin, moving []string) bool {
	dir := p.Dir
	switch {
	case f.Code == bundle.FaultDuplicateID, f.Code == bundle.FaultMissingRoot:
		return false
	case f.Code.Stage() == bundle.StageVerify: // fails closed unless the change is in progress
		return f.Path == dir && isBelow(moving, p.Root)
	}
	rel, err := filepath.Rel(f.Path, dir)
	return f.Path == filepath.Join(dir, bundle.MetadataFile) || f.Code == bundle.FaultUnreadable && err == nil && filepath.IsLocal(rel) || f.Path == dir
}

// isBelow reports whether a directory contains one of the paths.
func isBelow(paths []string, dir string) bool {
	return slices.ContainsFunc(paths, func(path string) bool { return strings.HasPrefix(path, dir+string(filepath.Separator)) })
}

// isAnyMoving reports whether a file on which the process of a plugin depends is still
// being written.
func isAnyMoving(moving []string, b mounted) bool {
	return slices.ContainsFunc(filesOf(b), func(path string) bool {
		_, ok := slices.BinarySearch(moving, path)
		return ok
	})
}

// logNew logs the faults that the previous scan did not find.
func (l *Loader) logNew(message string, faults, before []bundle.Fault) {
	for _, f := range faults {
		isSame := func(b bundle.Fault) bool {
			return b.Code == f.Code && b.Path == f.Path && b.PluginID == f.PluginID && b.Reason == f.Reason
		}
		if !slices.ContainsFunc(before, isSame) {
			l.options.Logger.Warn(message, "code", f.Code, "path", f.Path, "plugin", f.PluginID, "reason", f.Reason)
		}
	}
}

func (p *Plugin) mounted() mounted {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bundle
}

// executableFile is the index of the executable in filesOf.
const executableFile = 1

// filesOf returns the files of a plugin that determine its process.
func filesOf(b mounted) []string {
	return []string{
		filepath.Join(b.Dir, bundle.MetadataFile),
		filepath.Join(b.Dir, filepath.FromSlash(bundle.Host().Executable(b.Metadata.Executable))),
		filepath.Join(b.Dir, archive.ManifestFile),
	}
}

// recent is the age from which the time of a change is certain to differ from that of the
// next one: the resolution of times on FAT.
const recent = 2 * time.Second

// stamps identify the state of a plugin on disk, without reading its files. The zero value
// differs from all stamps, itself included.
type stamps struct {
	parent string
	files  []stamp // see filesOf
	taken  time.Time
}

// stamp identifies the state of a file.
type stamp struct {
	path string
	info os.FileInfo // nil if the file does not exist
}

func stampsOf(b mounted) stamps {
	s := stamps{parent: b.Parent, taken: time.Now()}
	for _, file := range filesOf(b) {
		info, err := os.Stat(file)
		if err != nil {
			info = nil
		}
		s.files = append(s.files, stamp{file, info})
	}
	return s
}

// isSame reports whether nothing has changed since before. It does not trust a file that
// had changed shortly before it was looked at.
func (s stamps) isSame(before stamps) bool {
	return s.isLike(before) && !slices.ContainsFunc(before.files, func(f stamp) bool {
		return f.info != nil && before.taken.Sub(f.info.ModTime()) <= recent
	})
}

// isLike reports whether nothing appears to have changed since before.
func (s stamps) isLike(before stamps) bool {
	return len(s.files) > 0 && s.parent == before.parent && slices.EqualFunc(s.files, before.files, stamp.isSame)
}

// wasRead reports whether the files that a scan reads have not changed during the scan, which
// began with before. A start reads the executable later.
func (s stamps) wasRead(before stamps) bool {
	for i := range s.files {
		if i != executableFile && !s.files[i].isSame(before.files[i]) {
			return false
		}
	}
	return true
}

// hasOtherExecutable reports whether the executable is known to have changed since before.
func (s stamps) hasOtherExecutable(before stamps) bool {
	return len(s.files) > 0 && len(before.files) > 0 && !s.files[executableFile].isSame(before.files[executableFile])
}

func (s stamp) isSame(before stamp) bool {
	if s.info == nil || before.info == nil {
		return s.path == before.path && s.info == nil && before.info == nil
	}
	return s.path == before.path && isSameFile(s.info, before.info)
}
