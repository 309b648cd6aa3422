package api

import (
	"io"
	"net/http"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/host"
)

func (a *API) assetRoutes() []Route {
	return []Route{
		// Public because browsers load frontends without credentials.
		{"GET", "/public/plugins/{id}/{path...}", Public(), raw(a.asset), Doc{Summary: "Get a file of a plugin's frontend", Media: "application/octet-stream"}},
		{"GET", "/api/plugins/{id}/markdown/{name}", Action(host.ActionPluginsAccess).On("plugins:id:{id}"), raw(a.markdown), Doc{Summary: "Get the README or CHANGELOG of a plugin", Media: "text/markdown"}},
	}
}

// asset serves a file of a plugin directory. It hides backends and everything whose name
// starts with a dot.
func (a *API) asset(w http.ResponseWriter, r *http.Request, _ host.Identity) error {
	p, err := a.plugin(r.PathValue("id"))
	if err != nil {
		return err
	}
	b, name := p.Bundle(), r.PathValue("path")
	for segment := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(segment, ".") || strings.Contains(segment, `\`) {
			return host.NotFound("File")
		}
	}
	if e := path.Base(b.Metadata.Executable); b.Metadata.Backend && strings.HasPrefix(path.Base(name), e+"_") {
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
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox") // a file opened as a page runs no scripts
	h.Set("Cache-Control", "no-cache")          // files change during development
	http.ServeContent(w, r, path.Base(name), info.ModTime(), f)
	return nil
}

// maxMarkdown is the maximum number of bytes served of a README.
const maxMarkdown = 1 << 20

func (a *API) markdown(w http.ResponseWriter, r *http.Request, _ host.Identity) error {
	p, err := a.plugin(r.PathValue("id"))
	if err != nil {
		return err
	}
	name := strings.ToUpper(strings.TrimSuffix(r.PathValue("name"), ".md"))
	if name != "README" && name != "CHANGELOG" {
		return host.NotFound("File")
	}
	f, err := p.Bundle().Open(name + ".md")
	if err != nil {
		return host.NotFound("File")
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxMarkdown))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, err = w.Write(text)
	return err
}
