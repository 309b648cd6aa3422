package preview

import (
	"bytes"
	"cmp"
	"crypto/subtle"
	"encoding/json"
	"html/template"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
)

// Options configure a Server. All fields but Page, API and Mounted may be zero in tests.
type Options struct {
	Page func() (*Page, error) // waits for the bundle
	// API returns the handler of the host's API for a role: Viewer, Editor or Admin.
	API     func(role string) http.Handler
	Mounted func() []bundle.Plugin // the plugins of the repository
	IsOther bool                   // they are another build: their files are not those that the API has

	Repo    bundle.Repo
	Main    string   // id of the repository's plugin
	Origin  string   // of the preview, such as http://localhost:40001
	Console string   // origin of the console, which may frame the preview
	Token   string   // that every call must have, a random text
	Sides   []Side   // that are shown beside each other, by the first of them
	Answers *Answers // of plugins, to record or replay; or nil
}

// Server is the handler of the preview's origin. It runs the code of plugins, so it is never that of the console: it has
// no cookies, and passes on only calls that a frontend needs, with the token of the session.
type Server struct {
	Options
	events    events
	storage   storage
	documents *template.Template
	mux       *http.ServeMux
}

// New returns a server. The caller must end its streams.
func New(o Options) *Server {
	s := &Server{Options: o, storage: storage{objects: map[string]json.RawMessage{}},
		documents: template.Must(template.ParseFS(pageSource(), "*.html")), mux: http.NewServeMux()}
	s.mux.HandleFunc("/", s.withPage(s.document))
	s.mux.HandleFunc("GET /-/{name}", s.withPage(s.pageFile))
	s.mux.HandleFunc("GET /-/beside", s.withPage(s.beside))
	s.mux.HandleFunc("GET /public/plugins/{id}/{path...}", s.pluginFile)
	s.mux.HandleFunc("GET /public/img/icons/{path...}", s.withPage(s.icon))
	s.mux.HandleFunc("GET /public/build/img/icons/{path...}", s.withPage(s.icon))
	s.mux.HandleFunc("GET /public/", http.NotFound)
	s.mux.Handle("GET /-/stories", s.guarded(s.stories))
	s.mux.Handle("POST /-/stories", s.guarded(s.saveStory))
	s.mux.Handle("GET /-/events", s.guarded(s.streamEvents))
	s.mux.Handle("POST /-/place", s.guarded(s.place))
	s.mux.Handle("/apis/userstorage.grafana.app/", s.guarded(s.storage.ServeHTTP))
	s.mux.Handle("/api/", s.guarded(s.call))
	s.mux.Handle("/apis/", s.guarded(s.call))
	return s
}

// ServeHTTP serves requests to the preview's own name only: another one may be that of the console, or
// of a page elsewhere that resolves to this machine.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin") // a page that opened the preview is out of its reach
	h.Set("Cache-Control", "no-cache")
	switch {
	case "http://"+r.Host != s.Origin:
		refuse(w, http.StatusMisdirectedRequest, "host", "the preview is at "+s.Origin)
	case r.Header.Get("Service-Worker") != "": // it would outlive the plugin
		refuse(w, http.StatusForbidden, "refused", "service workers are not available in the preview")
	default:
		s.mux.ServeHTTP(&cookieless{ResponseWriter: w}, r)
	}
}

// guarded returns a handler of requests of the page itself that have the token.
func (s *Server) guarded(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := r.Header.Get("X-Preview-Token")
		if r.URL.Path == "/-/events" && token == "" { // an EventSource sends no headers
			token = r.URL.Query().Get("token")
		}
		origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
		switch {
		case origin != "" && origin != s.Origin, site != "" && site != "same-origin" && site != "none":
			refuse(w, http.StatusForbidden, "origin", "calls of the preview come from its own page only")
		case s.Token == "" || subtle.ConstantTimeCompare([]byte(token), []byte(s.Token)) != 1:
			refuse(w, http.StatusUnauthorized, "token", "this tab has no token, or an old one: open the link that the preview printed")
		default:
			next(w, r)
		}
	})
}

// withPage returns a handler of requests that need the page, which may still be bundled.
func (s *Server) withPage(next func(http.ResponseWriter, *http.Request, *Page)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		page, err := s.Page()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		next(w, r, page)
	}
}

// refuse answers with a message, and a word for the page.
func refuse(w http.ResponseWriter, status int, word, message string) {
	w.Header().Set("X-Preview-Refused", word)
	sendJSON(w, status, map[string]string{"message": message})
}

func sendJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // the client has gone, if anything
}

// boot is what the page reads before anything else.
type boot struct {
	Version string            `json:"version"` // of the libraries
	React   string            `json:"react"`
	Role    string            `json:"role" ts:"Role"`
	Plugins []json.RawMessage `json:"plugins" ts:"Manifest[]"` // the plugin.json of each
	Main    string            `json:"main"`
	Theme   string            `json:"theme" ts:"'dark' | 'light'"`
	Beside  bool              `json:"beside"`            // there is a page with other versions
	Clock   int64             `json:"clock" ts:"number"` // at the start of the page, in milliseconds since 1970; 0 is now
	Root    string            `json:"root"`              // of the repository, for links to the editor of this machine
}

// policy is what the page may do: plugins compile code at run time, and their libraries write styles.
func (s *Server) policy() string {
	frame := cmp.Or(strings.TrimSpace(s.Console+" "+s.framer()), "'none'")
	return "default-src 'self'; script-src 'self' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; " +
		"img-src 'self' data: blob: https:; font-src 'self' data:; connect-src 'self' data: blob:; worker-src 'self' blob:; " +
		"frame-src 'self' data: blob: https:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors " + frame
}

func (s *Server) document(w http.ResponseWriter, r *http.Request, page *Page) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		refuse(w, http.StatusMethodNotAllowed, "refused", r.Method+" "+r.URL.EscapedPath()+" is not available in the preview")
		return
	}
	b := boot{Version: page.Libraries.Version, React: page.Libraries.React, Role: roleOf(r.URL.Query().Get("role")),
		Plugins: []json.RawMessage{}, Main: s.Main, Theme: "dark", Beside: s.framer() == s.Origin, Root: filepath.ToSlash(s.Repo.Root)}
	if r.URL.Query().Get("theme") == "light" {
		b.Theme = "light"
	}
	if s.Answers != nil {
		b.Clock = s.Answers.Clock.UnixMilli()
	}
	for _, p := range s.Mounted() {
		if text, err := readFile(p.Dir, bundle.MetadataFile); err == nil && json.Valid(text) {
			b.Plugins = append(b.Plugins, text)
		}
	}
	s.send(w, "page.html", b, s.policy())
}

// send sends a document of the page, filled in.
func (s *Server) send(w http.ResponseWriter, name string, data any, policy string) {
	var out bytes.Buffer
	if err := s.documents.ExecuteTemplate(&out, name, data); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", policy)
	_, _ = w.Write(out.Bytes())
}

// readFile reads a regular file of a directory.
func readFile(dir, name string) ([]byte, error) {
	f, err := bundle.Plugin{Dir: dir}.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

func (s *Server) pageFile(w http.ResponseWriter, r *http.Request, page *Page) {
	name := r.PathValue("name")
	headers := http.Header{"Etag": {`"` + filepath.Base(page.Dir) + `"`}}
	if strings.HasPrefix(name, "chunk-") { // the name depends on the contents
		headers.Set("Cache-Control", "max-age=31536000, immutable")
	}
	serveFile(w, r, page.Dir, name, headers)
}

// pluginFile serves a file of a plugin as the host does, to everyone. Another build is mounted in no host.
func (s *Server) pluginFile(w http.ResponseWriter, r *http.Request) {
	p, ok := s.mounted(r.PathValue("id"))
	switch {
	case !ok:
		http.NotFound(w, r)
	case s.IsOther:
		serveFile(w, r, p.Dir, r.PathValue("path"), nil)
	default:
		s.forward(w, r, "Viewer")
	}
}

func serveFile(w http.ResponseWriter, r *http.Request, dir, name string, headers http.Header) {
	f, err := bundle.Plugin{Dir: dir}.Open(name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		http.NotFound(w, r)
		return
	}
	maps.Copy(w.Header(), headers)
	http.ServeContent(w, r, name, info.ModTime(), f)
}

func (s *Server) mounted(id string) (bundle.Plugin, bool) {
	plugins := s.Mounted()
	i := slices.IndexFunc(plugins, func(p bundle.Plugin) bool { return p.Metadata.ID == id })
	if i < 0 {
		return bundle.Plugin{}, false
	}
	return plugins[i], true
}

func (s *Server) isMounted(id string) bool {
	_, ok := s.mounted(id)
	return ok
}

const emptyIcon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"></svg>`

// icon serves an icon of the libraries. Of those that only hosts have, the page says that they are empty.
func (s *Server) icon(w http.ResponseWriter, r *http.Request, page *Page) {
	w.Header().Set("Content-Type", "image/svg+xml")
	name := filepath.FromSlash(r.PathValue("path"))
	var text []byte
	if filepath.IsLocal(name) && filepath.Ext(name) == ".svg" {
		text, _ = os.ReadFile(filepath.Join(packageDir(page.Libraries.Dir, "@grafana/ui"), "dist", "public", "img", "icons", name))
	}
	if text == nil {
		w.Header().Set("X-Preview-Missing", "icon")
		text = []byte(emptyIcon)
	}
	_, _ = w.Write(text)
}

// cookieless is a response that sets no cookies and allows no service worker, whatever a plugin answers.
type cookieless struct {
	http.ResponseWriter
	hasBegun bool
}

// Unwrap is used by http.ResponseController.
func (w *cookieless) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader sends the headers.
func (w *cookieless) WriteHeader(status int) {
	for _, name := range []string{"Set-Cookie", "Service-Worker-Allowed", "Clear-Site-Data"} {
		w.Header().Del(name)
	}
	w.hasBegun = w.hasBegun || status >= http.StatusOK
	w.ResponseWriter.WriteHeader(status)
}

// Write sends the headers first, like every http.ResponseWriter.
func (w *cookieless) Write(p []byte) (int, error) {
	w.begin()
	return w.ResponseWriter.Write(p)
}

// FlushError is used by http.ResponseController.
func (w *cookieless) FlushError() error {
	w.begin()
	return http.NewResponseController(w.ResponseWriter).Flush()
}

func (w *cookieless) begin() {
	if !w.hasBegun {
		w.WriteHeader(http.StatusOK)
	}
}
