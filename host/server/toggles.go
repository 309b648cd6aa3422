package server

import (
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/internal/nearest"
)

// warnOfToggles logs each feature toggle that the host does not know. Plugins may know it, so the host
// passes it on.
func (s *Server) warnOfToggles(toggles []string) {
	known := access.Toggles()
	for _, toggle := range toggles {
		if slices.Contains(known, toggle) {
			continue
		}
		attrs := []any{"toggle", toggle, "known", strings.Join(known, ", ")}
		if near := nearest.Name(toggle, known); near != "" {
			attrs = append(attrs, "did you mean", near)
		}
		s.log.Warn("unknown feature toggle", attrs...)
	}
}
