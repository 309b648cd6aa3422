package urlpath_test

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/urlpath"
)

func TestLoose(t *testing.T) {
	t.Parallel()
	for segment, want := range map[string]string{
		"admin": "admin", "%61dmin": "admin", "%2561dmin": "admin", "admin;x=1": "admin", "admin. ": "admin",
		"admin%2e": "admin", "admin\u200b": "admin", "100%": "100%", "a.b": "a.b", "\uFF05\u0036\u0031dmin": "admin",
		"admin%2Fx": "admin x", `/a;v=1\b.`: "a b", "/": "",
	} {
		if got := strings.Join(urlpath.Loose(segment), " "); got != want {
			t.Errorf("Loose(%q) = %q, want %q", segment, got, want)
		}
	}
}
