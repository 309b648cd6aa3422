package preview

import (
	"net/http"
	"strings"
)

// Side is one of several previews of a plugin that one page shows side by side.
type Side struct {
	With   string // version of the libraries, as it was asked for
	Origin string
}

// beside shows the view at the parameter "path" in each side. They share a token, in the fragment of the address.
func (s *Server) beside(w http.ResponseWriter, r *http.Request, _ *Page) {
	if s.framer() != s.Origin {
		http.NotFound(w, r)
		return
	}
	var origins []string
	for _, side := range s.Sides {
		origins = append(origins, side.Origin)
	}
	s.send(w, "beside.html", s.Sides, "default-src 'none'; img-src data:; style-src 'self'; script-src 'self'; "+
		"base-uri 'none'; frame-ancestors 'none'; frame-src "+strings.Join(origins, " "))
}

// framer returns the origin of the page that shows the sides, or "" if there is only one preview.
func (s *Server) framer() string {
	if len(s.Sides) == 0 {
		return ""
	}
	return s.Sides[0].Origin
}
