package provisioning

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/internal/text"
)

// providers reads the dashboards of the providers in a file. A directory that does not
// exist and a dashboard that is invalid are warnings: existing hosts start with them.
func (r *reader) providers(d document) {
	for _, e := range r.entries(d, "providers") {
		if kind := e.text("type"); kind != "" && kind != "file" {
			e.fail(d.file, valueOf(e.node, "type"), "type must be file, found %.100q", r.shown(valueOf(e.node, "type")))
			continue
		}
		options := valueOf(e.node, "options")
		if options == nil {
			e.fail(d.file, e.node, "options.path is required")
			continue
		}
		o := entry{r, d.file, options}
		path := o.required("path")
		if path == "" {
			continue
		}
		dir := r.locate(path)
		if _, err := r.readDir(dir); err != nil {
			r.config.isPartial = true // it may be missing for a moment only
			r.warn(d.file, valueOf(options, "path"), "provider skipped: %w", err)
			continue
		}
		p := provider{e.text("folder"), o.flag("foldersFromFilesStructure"), e.flag("disableDeletion"), !e.flag("allowUiUpdates"), dir}
		// The separator makes it follow dir if that is a symbolic link.
		if err := filepath.WalkDir(dir+string(filepath.Separator), func(name string, entry fs.DirEntry, err error) error {
			return r.visit(p, filepath.Clean(name), entry, err)
		}); err != nil {
			r.config.isPartial = true
			r.warn(d.file, valueOf(options, "path"), "%w", err)
		}
	}
}

// locate returns the directory that options.path names. One in the image of an existing
// host that is missing here is in the provisioning directory.
func (r *reader) locate(path string) string {
	// This comes before IsAbs: on Windows, the path in the image is not absolute.
	if rest, ok := strings.CutPrefix(filepath.ToSlash(path)+"/", imagePath); ok && filepath.IsLocal(filepath.FromSlash(rest)) {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return filepath.Join(r.dir, filepath.FromSlash(rest))
		}
	}
	if !filepath.IsAbs(path) {
		return filepath.Join(r.dir, path)
	}
	return filepath.Clean(path) // a slash at the end would make it a hidden directory of itself
}

type provider struct {
	folder            string
	hasFoldersOfFiles bool // the directory of a file names its folder
	isKept            bool
	isReadOnly        bool
	dir               string
}

func (r *reader) visit(p provider, name string, entry fs.DirEntry, err error) error {
	if err != nil {
		return err
	}
	if entry.IsDir() {
		if err := r.visited(name); err != nil {
			return err
		}
	}
	switch {
	case entry.IsDir() && name != p.dir && strings.HasPrefix(entry.Name(), "."):
		return fs.SkipDir
	case entry.IsDir() || filepath.Ext(name) != ".json":
		return nil
	}
	d, err := r.dashboard(p, name)
	if errors.Is(err, errVisited) {
		return err
	}
	if err != nil {
		position, ok := errors.AsType[*Error](err)
		if !ok {
			position = &Error{File: r.short(name), Err: err}
		}
		r.config.Warnings = append(r.config.Warnings, position)
		r.config.isPartial = true
		return nil
	}
	if key := "dashboard:" + d.UID; r.names[key] {
		r.config.Warnings = append(r.config.Warnings, &Error{File: d.File, Err: fmt.Errorf("dashboard skipped: another file has the uid %q", d.UID)})
		return nil
	}
	r.names["dashboard:"+d.UID] = true
	r.config.Dashboards = append(r.config.Dashboards, d)
	return nil
}

func (r *reader) dashboard(p provider, name string) (d Dashboard, err error) {
	data, err := r.readFile(name, maxFile)
	if err != nil {
		return d, err
	}
	var model map[string]json.RawMessage
	if err := json.Unmarshal(data, &model); err != nil {
		e := &Error{File: r.short(name), Err: err}
		if at, ok := errors.AsType[*json.SyntaxError](err); ok {
			e.Line, e.Column = text.LineColumn(data, int(at.Offset)-1)
		}
		return d, e
	}
	d.Dashboard, err = host.ParseDashboard("", data)
	if err != nil {
		return d, err
	}
	rel, err := filepath.Rel(p.dir, name)
	if err != nil {
		return d, err
	}
	if d.UID == "" {
		sum := sha256.Sum256([]byte(p.folder + "\n" + filepath.ToSlash(rel)))
		d.UID = fmt.Sprintf("p%x", sum[:8])
	}
	d.ID, d.Version = 0, 0 // those of another host
	d.Folder, d.File, d.IsKept, d.IsReadOnly = p.folder, r.short(name), p.isKept, p.isReadOnly
	if dir := filepath.Base(filepath.Dir(rel)); p.hasFoldersOfFiles && dir != "." {
		d.Folder = dir
	}
	return d, nil
}

// short returns a name in the provisioning directory, or else the whole name.
func (r *reader) short(name string) string {
	if rel, err := filepath.Rel(r.dir, name); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return name
}
