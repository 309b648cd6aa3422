// Package console serves pages that show the state of the host: its plugins and their
// problems, data sources, dashboards, playlists and accounts.
//
// It is a client of the HTTP API: a page calls it with the credentials of the request for
// the page, and so shows only what the caller may see. It imports no other
// package of the host. HTML is rendered here; JavaScript sends forms, keeps pages up to date, and
// draws the results of queries and streams. Nothing is loaded from elsewhere.
package console

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/sdk/hostapi"
)

//go:embed pages static
var files embed.FS

type page struct {
	pattern string // as http.ServeMux reads it, without the method
	name    string // of the template in pages/
	title   string // unless the template has a block for it
	nav     string // the pattern of the navigation entry that is marked
	load    func(*client) (any, error)
}

func pages() []page {
	return []page{
		{"/{$}", "overview", "Plugins", "/", overview},
		{"/plugins/{id}", "plugin", "Plugin", "/", plugin},
		{"/explore", "explore", "Explore", "/explore", explore},
		{"/streams", "streams", "Streams", "/streams", streams},
		{"/login", "login", "Sign in", "", login},
		{"/sessions", "sessions", "Sessions", "/sessions", all[hostapi.Session]("/api/sessions")},
		{"/datasources", "datasources", "Data sources", "/datasources", dataSources},
		{"/datasources/new", "datasource", "Data source", "/datasources", newDataSource},
		{"/datasources/{uid}", "datasource", "Data source", "/datasources", editDataSource},
		{"/plugins/{id}/settings", "app", "Settings", "/", app},
		{"/plugins/{id}/preview", "preview", "Preview", "/", preview},
		{"/dashboards", "dashboards", "Dashboards", "/dashboards", dashboards},
		{"/dashboards/new", "dashboard", "Dashboard", "/dashboards", newDashboard},
		{"/dashboards/{uid}", "dashboard", "Dashboard", "/dashboards", editDashboard},
		{"/folders", "folders", "Folders", "/dashboards", folders},
		{"/playlists", "playlists", "Playlists", "/playlists", playlists},
		{"/playlists/new", "playlist", "Playlist", "/playlists", newPlaylist},
		{"/playlists/{uid}", "playlist", "Playlist", "/playlists", editPlaylist},
		{"/accounts", "accounts", "Service accounts", "/accounts", accounts},
		{"/accounts/{id}", "account", "Service account", "/accounts", oneAccount},
		{"/keys", "keys", "API keys", "/accounts", keys},
		{"/roles", "roles", "Plugin roles", "/accounts", all[hostapi.PluginRole]("/api/access-control/roles")},
		{"/profile", "profile", "Profile", "", profile},
	}
}

// errorPage is shown instead of a page that cannot be.
func errorPage() page { return page{name: "error", title: "Error"} }

// Options configure the pages.
type Options struct {
	URL     string   // of the console, such as http://127.0.0.1:3000
	Preview *url.URL // of the preview, with its token; nil if none runs
}

type console struct {
	*content
	Options
	api http.Handler
	mux *http.ServeMux
}

// New returns the handler of all pages. It calls api, the handler of the HTTP API. It reads the
// templates and assets when the first page is requested: they take half of the heap of a host
// that serves only the API.
func New(api http.Handler, o Options) http.Handler {
	load := sync.OnceValues(func() (*console, error) { return open(api, o) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := load()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		c.ServeHTTP(w, r)
	})
}

func open(api http.Handler, o Options) (*console, error) {
	shared, err := embedded()
	if err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	c := &console{content: shared, Options: o, api: api, mux: http.NewServeMux()}
	for _, p := range pages() {
		c.mux.HandleFunc("GET "+p.pattern, func(w http.ResponseWriter, r *http.Request) { c.serve(w, r, p) })
	}
	c.mux.HandleFunc("GET /static/{version}/{name}", c.serveAsset)
	c.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		c.fail(w, r, errorPage(), &apiError{Status: http.StatusNotFound, Message: "This page does not exist."})
	})
	return c, nil
}

// content is what all consoles of a process share.
type content struct {
	templates map[string]*template.Template // by the name of a page
	version   string                        // of the assets
}

// embedded returns the content in the executable.
var embedded = sync.OnceValues(func() (c *content, err error) {
	c = &content{templates: map[string]*template.Template{}}
	if c.version, err = assetVersion(); err != nil {
		return nil, err
	}
	layout := template.Must(template.New("layout.html").Funcs(c.functions()).ParseFS(files, "pages/layout.html", "pages/parts.html"))
	for _, p := range append(pages(), errorPage()) {
		c.templates[p.name] = template.Must(template.Must(layout.Clone()).ParseFS(files, "pages/"+p.name+".html"))
	}
	return c, nil
})

// ServeHTTP serves a page or an asset.
func (c *console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	setPolicy(h, "", "")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	c.mux.ServeHTTP(w, r)
}

// setPolicy sets the Content-Security-Policy. A page allows only scripts and styles with
// its nonce, since 'self' would include the files of plugins, and only frames of one origin, if any.
func setPolicy(h http.Header, nonce, frames string) {
	allowed := "'none'"
	if nonce != "" {
		allowed = "'nonce-" + nonce + "'"
	}
	policy := "default-src 'none'; script-src " + allowed + "; style-src " + allowed + "; img-src 'self'; connect-src 'self'; " +
		"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
	if frames != "" {
		policy += "; frame-src " + frames
	}
	h.Set("Content-Security-Policy", policy)
}

type view struct {
	Nonce string // of scripts and styles
	Page  string // its name
	Title string
	Nav   string
	Who   *hostapi.User // nil if the user is not signed in
	Data  any

	frames string // origin of the frames on the page
}

func (c *console) serve(w http.ResponseWriter, r *http.Request, p page) {
	call := &client{Options: c.Options, api: c.api, r: r}
	v := view{Page: p.name, Title: p.title, Nav: p.nav}
	if p.name != "login" {
		if err := call.identify(); err != nil {
			c.fail(w, r, p, err)
			return
		}
		v.Who = &call.who
	}
	var err error
	if v.Data, err = p.load(call); err != nil {
		c.fail(w, r, p, err)
		return
	}
	v.frames = call.frames
	c.render(w, http.StatusOK, v)
}

// fail shows an error, or the sign-in page if the caller is not signed in.
func (c *console) fail(w http.ResponseWriter, r *http.Request, p page, err error) {
	problem, ok := errors.AsType[*apiError](err)
	if !ok {
		problem = &apiError{Status: http.StatusInternalServerError, Message: err.Error()}
	}
	if problem.Status == http.StatusUnauthorized {
		http.Redirect(w, r, "/login?next="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
		return
	}
	v := view{Page: errorPage().name, Title: errorPage().title, Nav: p.nav, Data: problem}
	if call := (&client{api: c.api, r: r}); call.identify() == nil {
		v.Who = &call.who
	}
	c.render(w, problem.Status, v)
}

// render writes a page. It renders the whole page first, so that none appears in part.
func (c *console) render(w http.ResponseWriter, status int, v view) {
	v.Nonce = rand.Text()
	setPolicy(w.Header(), v.Nonce, v.frames)
	var out bytes.Buffer
	if err := c.templates[v.Page].Execute(&out, v); err != nil {
		http.Error(w, "render the page: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // fails only if the client has left
}

func (c *content) functions() template.FuncMap {
	return template.FuncMap{
		"asset":   func(name string) string { return "/static/" + c.version + "/" + name },
		"ago":     func(t time.Time) string { return ago(time.Since(t)) },
		"path":    url.PathEscape,
		"preview": previewPath,
		"levels":  func() []string { return []string{"error", "warn", "info", "debug", "trace"} },
		"methods": func() []string { return []string{"GET", "POST", "PUT", "PATCH", "DELETE"} },
		"every":   func() []string { return []string{"1", "5", "10", "30", "60"} },
		"entry":   func(path, name, current string) navEntry { return navEntry{path, name, path == current} },
		"field": func(name, label string, isSet bool) formField {
			return formField{Name: name, Label: label, IsSet: isSet}
		},
		"longField": func(name, label string, isSet bool) formField {
			return formField{Name: name, Label: label, IsSet: isSet, IsLong: true}
		},
		"playlistItem": func() hostapi.PlaylistItem { return hostapi.PlaylistItem{} },
	}
}

type navEntry struct {
	Path, Name string
	IsCurrent  bool
}

// assetVersion returns a version that changes with any of the files in static/. It is a part of
// their paths, so that modules that import each other by relative paths come from the same version.
func assetVersion() (string, error) {
	names, err := fs.Glob(files, "static/*")
	sum := sha256.New()
	for _, name := range names {
		data, err := files.ReadFile(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%s %d\n", name, len(data))
		_, _ = sum.Write(data) // a hash never returns an error
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), err
}

func (c *content) serveAsset(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-cache")
	if r.PathValue("version") == c.version {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	http.ServeFileFS(w, r, files, "static/"+r.PathValue("name"))
}

// ago describes how long ago something was, in its largest unit.
func ago(d time.Duration) string {
	switch {
	case d >= 24*time.Hour:
		return fmt.Sprintf("%d d ago", d/(24*time.Hour))
	case d >= time.Hour:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	case d >= time.Minute:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	}
	return "just now"
}
