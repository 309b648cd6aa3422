package api

import (
	"errors"
	"net/http"
	"path"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/loader"
)

// asset serves a file of a plugin directory. It hides executables, including those of nested
// plugins, and everything whose name starts with a dot.
func (a *API) asset(w http.ResponseWriter, r *http.Request, _ host.Identity, p *loader.Plugin) error {
	b, name := p.Bundle(), r.PathValue("path")
	for segment := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(segment, ".") || strings.Contains(segment, `\`) {
			return host.NotFound("File")
		}
	}
	if a.isPrivate(b, name) {
		return host.NotFound("File")
	}
	f, err := b.Open(name)
	if err != nil {
		return host.NotFound("File")
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if _, err := bundle.ExecutablePlatform(f); !errors.Is(err, bundle.ErrNotExecutable) {
		return host.NotFound("File") // under any name, or unreadable
	}
	h := w.Header()
	h.Set("Content-Security-Policy", "sandbox; "+frameAncestors) // a file opened as a page runs no scripts
	h.Set("Cache-Control", "no-cache")                           // files change during development
	http.ServeContent(w, r, path.Base(name), info.ModTime(), f)
	return nil
}

// isPrivate reports whether a file has the name of an executable of the plugin or of one in
// its directory. Case does not matter, since file systems differ in it.
func (a *API) isPrivate(b bundle.Plugin, name string) bool {
	base := host.Fold(path.Base(name))
	for _, p := range a.Plugins.Plugins() {
		other := p.Bundle()
		rel, err := filepath.Rel(b.Dir, other.Dir)
		if err != nil || !filepath.IsLocal(rel) || other.Metadata.Executable == "" {
			continue
		}
		e := host.Fold(path.Base(other.Metadata.Executable))
		if base == e || base == e+".exe" || strings.HasPrefix(base, e+"_") {
			return true
		}
	}
	return false
}
