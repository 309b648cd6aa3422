package build

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
)

// backend is a backend, whose executable several plugin.json files may name.
type backend struct {
	id         string // of the first plugin that names it
	document   string // its plugin.json, relative to the source directory
	executable string // slash path relative to dist, without the platform
	main       string // directory of the main package, absolute
	module     string // directory of its go.mod, absolute
	isGrafana  bool   // the module requires Grafana's SDK
}

// planBackends plans one compilation for each backend and platform.
func (p *Plan) planBackends(ctx context.Context) error {
	if err := p.findBackends(); err != nil {
		return err
	}
	if p.options.Update && p.options.Only == OnlyFrontend && p.lacksExecutable() {
		p.options.Only = "" // plugin.json names another one, or somebody deleted it
	}
	if p.options.Only == OnlyFrontend {
		return nil
	}
	for i := range p.backends {
		b := &p.backends[i]
		err := p.findMain(ctx, b, i == 0)
		if err != nil {
			return err
		}
		b.isGrafana = usesGrafanaSDK(b.module)
		for _, platform := range p.options.Platforms {
			p.Commands = append(p.Commands, p.command(*b, platform))
		}
	}
	return nil
}

// lacksExecutable reports whether dist has no executable of a backend for one of the platforms.
func (p *Plan) lacksExecutable() bool {
	for _, b := range p.backends {
		for _, platform := range p.options.Platforms {
			if !exists(p.inDist(platform.Executable(b.executable))) {
				return true
			}
		}
	}
	return false
}

// findBackends lists the backends of the plugin.json files, to which executables are relative, the plugin's own first.
func (p *Plan) findBackends() error {
	for _, d := range p.documents {
		m := d.metadata
		if !m.Backend {
			continue
		}
		if m.Executable == "" {
			return fmt.Errorf(`%s sets "backend" but not "executable": set it to a name such as "gpx_clock"`, d.to)
		}
		executable := path.Join(path.Dir(d.to), m.Executable)
		if !filepath.IsLocal(filepath.FromSlash(executable)) {
			return fmt.Errorf(`%s: the executable %q is outside of the plugin: write a path inside it, relative to plugin.json`, d.to, m.Executable)
		}
		if !slices.ContainsFunc(p.backends, func(b backend) bool { return b.executable == executable }) {
			p.backends = append(p.backends, backend{id: m.ID, document: d.to, executable: executable})
		}
	}
	return nil
}

// CompilerFlags is the flag of the go command for builds without debugging information,
// which -ldflags="-s -w" would discard. The compiler starts to collect garbage at 512 MiB:
// few packages need that much, and the default of 128 MiB costs a tenth of the time.
const CompilerFlags = "-gcflags=all=-dwarf=false -d=gcstart=512"

// command returns the compilation of a backend for a platform.
func (p *Plan) command(b backend, platform bundle.Platform) Command {
	o := p.options.Backend
	// -trimpath and -buildvcs=false keep this machine out of the executable; the other
	// flags omit what only a debugger reads, which takes a tenth of the time.
	args := []string{"build", "-trimpath", "-buildvcs=false"}
	ldflags := "-s -w"
	if !strings.Contains(o.LDFlags, "-w=") { // which can turn it on again
		args = append(args, CompilerFlags)
	}
	if p.options.Debug {
		args = []string{"build", "-buildvcs=false", "-gcflags=all=-N -l"}
		ldflags = ""
	}
	if b.isGrafana {
		ldflags += p.grafanaFlags(b.id)
	}
	args = append(args, "-ldflags="+strings.TrimSpace(ldflags+" "+o.LDFlags)) // even if it is empty: it replaces that of GOFLAGS
	if len(o.Tags) > 0 {
		args = append(args, "-tags="+strings.Join(o.Tags, ","))
	}
	cgo := "CGO_ENABLED=0"
	if o.Cgo {
		cgo = "CGO_ENABLED=1"
	}
	return Command{
		Platform: platform,
		Output:   platform.Executable(b.executable),
		Args:     append(args, packageIn(b.module, b.main)),
		Env:      slices.Concat(o.Env, []string{cgo, "GOOS=" + platform.OS, "GOARCH=" + platform.Arch}),
		module:   b.module,
	}
}

// packageIn returns the argument of the go command for a package of a module.
func packageIn(module, dir string) string {
	rel, err := filepath.Rel(module, dir)
	if err != nil {
		return dir
	}
	if rel == "." {
		return "."
	}
	return "./" + filepath.ToSlash(rel)
}

// findMain finds the main package of a backend and its module.
func (p *Plan) findMain(ctx context.Context, b *backend, isFirst bool) (err error) {
	if b.main, err = p.namedMain(*b, isFirst); err != nil {
		return err
	}
	if b.main == "" {
		b.main, err = p.searchMain(ctx, *b, isFirst)
	}
	if b.main == "" && err == nil {
		if _, e := p.findModule(p.Repo.Root); e != nil {
			err = fmt.Errorf(`%s sets "backend", but %w`, b.document, e)
		} else if place, name := p.misnamedMain(); name != "" {
			err = fmt.Errorf("%s: this is package %s, but a backend is a main package: write package main", place, name)
		} else {
			err = fmt.Errorf("%s sets \"backend\", but no directory of %s holds its main package: write one, or name its directory in slipway.yaml:\n%s",
				b.document, p.Repo.Root, mainSetting(*b, isFirst, "path/to/directory"))
		}
	}
	if err != nil {
		return err
	}
	b.module, err = p.findModule(b.main)
	if err != nil {
		return fmt.Errorf(`%s sets "backend", but %w`, b.document, err)
	}
	return nil
}

// findModule returns the nearest directory upwards that has a go.mod, as the go command does.
func (p *Plan) findModule(dir string) (string, error) {
	for at := dir; ; at = filepath.Dir(at) {
		if exists(filepath.Join(at, "go.mod")) {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("neither %s nor a directory above it has a go.mod: restore it, or create one in the root of the repository with go mod init <name> and go mod tidy", p.relative(dir))
		}
	}
}

// namedMain returns the main package that slipway.yaml names, or "".
func (p *Plan) namedMain(b backend, isFirst bool) (string, error) {
	dir, ok := p.options.Backend.Main[b.id]
	if !ok && isFirst {
		dir, ok = p.options.Backend.Main[""]
	}
	if !ok {
		return "", nil
	}
	abs := filepath.Join(p.options.ConfigDir, filepath.FromSlash(dir))
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		return "", fmt.Errorf("slipway.yaml names %s as the main package of %s, but that is not a directory", dir, b.id)
	}
	return abs, nil
}

// usualMains lists where a main package may be, in order of search. Directories without a name are for the first backend.
func (p *Plan) usualMains(b backend, isFirst bool) []string {
	name := path.Base(b.executable)
	if isFirst {
		return []string{"pkg", "cmd", "cmd/" + name, "cmd/" + b.id, "backend", "."}
	}
	nested := path.Join(filepath.ToSlash(p.relative(p.Repo.Source)), path.Dir(b.document))
	return []string{"cmd/" + name, "cmd/" + b.id, "pkg/" + name, "pkg/" + b.id, nested + "/pkg", nested + "/cmd", nested + "/backend", nested}
}

// searchMain returns the main package of a backend, or "", or an error that lists several.
func (p *Plan) searchMain(ctx context.Context, b backend, isFirst bool) (string, error) {
	for _, dir := range p.usualMains(b, isFirst) {
		abs := filepath.Join(p.Repo.Root, filepath.FromSlash(dir))
		if p.readMain(abs).isMain {
			return abs, nil
		}
	}
	found, err := p.allMains(ctx)
	if err != nil {
		return "", fmt.Errorf("find the main package of %s: %w", b.id, err)
	}
	found = slices.DeleteFunc(found, func(dir string) bool {
		return slices.ContainsFunc(p.backends, func(other backend) bool { return other.main == dir })
	})
	switch len(found) {
	case 0:
		return "", nil
	case 1:
		return found[0], nil
	}
	names := make([]string, len(found))
	for i, dir := range found {
		names[i] = filepath.ToSlash(p.relative(dir))
	}
	return "", fmt.Errorf("%s sets \"backend\", and %d directories hold a main package: %s; name the right one in slipway.yaml:\n%s",
		b.document, len(names), strings.Join(names, ", "), mainSetting(b, isFirst, names[0]))
}

// mainSetting returns the lines of a slipway.yaml that name a main package.
func mainSetting(b backend, isFirst bool, dir string) string {
	if isFirst {
		return "  backend:\n    main: " + dir
	}
	return "  backend:\n    main:\n      " + b.id + ": " + dir
}

// allMains returns the directories with a main package: those that import a plugin's library, or all if none does.
func (p *Plan) allMains(ctx context.Context) (list []string, err error) {
	var plugins []string
	err = filepath.WalkDir(p.Repo.Root, func(dir string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrPermission):
			return filepath.SkipDir
		case err != nil || !d.IsDir():
			return err
		case dir != p.Repo.Root && bundle.IsToolDir(d.Name()) || dir == p.Repo.Dist:
			return filepath.SkipDir
		}
		if m := p.readMain(dir); m.isMain {
			list = append(list, dir)
			if m.isPlugin {
				plugins = append(plugins, dir)
			}
		}
		return nil
	})
	if len(plugins) > 0 {
		list = plugins
	}
	return list, err
}
