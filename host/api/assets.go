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
		{"GET", "/public/plugins/{id}/{path...}", Public(), a.asset, // a browser loads them without credentials
			Doc{Summary: "Read a file of a plugin's frontend", Media: "application/octet-stream"}},
		{"GET", "/api/plugins/{id}/markdown/{name}", Action(host.ActionPluginsAccess).On("plugins:id:{id}"), a.markdown,
			Doc{Summary: "Read the README or the CHANGELOG of a plugin", Media: "text/markdown"}},
	}
}

// asset serves a file of a plugin's folder, but none that starts with a dot and no
// backend.
func (a *API) asset(w http.ResponseWriter, r *http.Request, _ host.Identity) error {
	p, err := a.plugin(r)
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
	h.Set("Content-Security-Policy", "sandbox") // as a page of its own, a file of a plugin may do nothing
	h.Set("Cache-Control", "no-cache")          // it changes while somebody develops it
	http.ServeContent(w, r, path.Base(name), info.ModTime(), f)
	return nil
}

// maxMarkdown is the most bytes that are read of a README.
const maxMarkdown = 1 << 20

func (a *API) markdown(w http.ResponseWriter, r *http.Request, _ host.Identity) error {
	p, err := a.plugin(r)
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
