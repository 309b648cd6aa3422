package preview

import (
	"bytes"
	"html/template"
	"net/http"
	"strings"
)

// Side is one of several previews of a plugin that one page shows side by side.
type Side struct {
	With   string // version of the libraries, as it was asked for
	Origin string
}

const besideLayout = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Side by side</title>
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif; }
body { margin: 0; height: 100vh; display: flex; }
section { flex: 1; display: flex; flex-direction: column; border-left: 1px solid #8886; }
h1 { font-size: 14px; margin: 4px 12px; }
iframe { flex: 1; border: 0; }
</style>
{{range .}}<section><h1>{{.With}}</h1><iframe title="{{.With}}" data-origin="{{.Origin}}"></iframe></section>
{{end}}<script>
const given = new URLSearchParams(location.hash.slice(1)).get('token');
if (given) {
  sessionStorage.setItem('preview.token', given);
  history.replaceState(null, '', location.pathname + location.search);
}
const path = new URLSearchParams(location.search).get('path') ?? '/';
for (const frame of document.querySelectorAll('iframe')) {
  frame.src = frame.dataset.origin + (path.startsWith('/') ? path : '/') + '#token=' + sessionStorage.getItem('preview.token');
}
</script>
`

// beside shows a view, the path in the parameter "path", in each of the sides. They share a token, which is in
// the fragment of the address.
func (s *Server) beside(w http.ResponseWriter, r *http.Request) {
	if s.framer() != s.Origin {
		http.NotFound(w, r)
		return
	}
	var origins []string
	for _, side := range s.Sides {
		origins = append(origins, side.Origin)
	}
	var out bytes.Buffer
	page := template.Must(template.New("").Parse(besideLayout))
	if err := page.Execute(&out, s.Sides); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "+
		"base-uri 'none'; frame-ancestors 'none'; frame-src "+strings.Join(origins, " "))
	_, _ = w.Write(out.Bytes())
}

// framer returns the origin of the page that shows the sides, or "" if there is only one preview.
func (s *Server) framer() string {
	if len(s.Sides) == 0 {
		return ""
	}
	return s.Sides[0].Origin
}
