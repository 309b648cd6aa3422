package proxy

import (
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestParsePath(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "/", "/": "/", "a": "/a", "/a/b": "/a/b", "a/b/": "/a/b/", "%61/b": "/a/b", "a%20b": "/a%20b",
		"a%3fb": "/a%3Fb", "100%25": "/100%25", "%2541": "/%2541", "v1..v2": "/v1..v2", ".hidden": "/.hidden",
		"a:b@c": "/a:b@c", "m;v=1": "/m%3Bv=1", "%c3%a4": "/%C3%A4", "a,b+c": "/a%2Cb+c", "x.": "/x.",
		"group%2fproject/x": "/group%2Fproject/x", "%2F": "/%2F", "a%5Cb": "/a%5Cb", "a%252Fb": "/a%252Fb",
	} {
		p, err := parsePath(in)
		if err != nil || p.String() != want {
			t.Errorf("%q: %s, %v, want %s", in, p, err, want)
		}
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	routes := []bundle.Route{
		{Path: "api", Method: "GET, post", URL: "0"},
		{Path: "/api/admin/", Method: " GET ", URL: "1"},
		{Path: "api/admin", Method: "DELETE", URL: "2"},
		{Path: "files/*", URL: "3"},
		{Path: "files", Method: "*", URL: "4"},
		{Path: "any", Method: "*", URL: "5"},
	}
	for _, c := range []struct{ method, path, url, rest string }{
		{"GET", "api", "0", "/"}, {"GET", "api/", "0", "/"}, {"GET", "api/x/y", "0", "/x/y"}, {"POST", "api/x", "0", "/x"},
		{"GET", "api/admin", "1", "/"}, {"GET", "api/admin/x/", "1", "/x/"}, {"DELETE", "api/admin", "2", "/"},
		{"PUT", "files/a", "3", "/a"}, {"GET", "%61pi/x", "0", "/x"}, {"PURGE", "any/x", "5", "/x"},
		{"GET", "api/users;v=1", "0", "/users%3Bv=1"},
		{"GET", "api/a%2Fb", "0", "/a%2Fb"}, {"GET", "api%2Fadmin/x", "", ""}, {"POST", "api%2Fx", "", ""}, {"GET", "api/%2Fadmin", "", ""},
		{"GET", "api/admin%2Fx", "", ""}, {"GET", "api/ADMIN%252Fx", "", ""}, {"GET", "api/admin;%2Fx", "", ""}, {"GET", "%2Fapi", "", ""},
		{"GET", "apikeys", "", ""}, {"GET", "", "", ""}, {"GET", "API/x", "", ""}, {"DELETE", "api/x", "", ""},
		{"POST", "api/admin", "", ""}, {"GET", "api/Admin", "", ""}, {"GET", "api/admin;x", "", ""}, {"GET", "api/admin.", "", ""},
		{"GET", "api/%2561dmin", "", ""}, {"GET", "api/admin%20/x", "", ""}, {"TRACE", "any", "", ""}, {"CONNECT", "any", "", ""},
		{"GET", "x/api", "", ""}, {"HEAD", "api", "", ""},
	} {
		p := testkit.Must(parsePath(c.path))(t)
		r, rest, err := match(routes, c.method, p)
		switch {
		case c.url == "" && err == nil:
			t.Errorf("%s %s: matches %s", c.method, c.path, r.Path)
		case c.url != "" && (err != nil || r.URL != c.url || rest.String() != c.rest):
			t.Errorf("%s %s: %v, %s, %v", c.method, c.path, r, rest, err)
		}
	}
	if _, _, err := match([]bundle.Route{{Path: "a"}, {Path: "a/../b"}}, "GET", path{segments: []string{"a"}}); !errors.Is(err, host.ErrUnavailable) {
		t.Errorf("invalid path in plugin.json: %v", err)
	}
}

func TestParsePathLength(t *testing.T) {
	t.Parallel()
	for _, in := range []string{strings.Repeat("a", maxPath+1), strings.Repeat("ä", maxPath/4), strings.Repeat("%25", maxPath/3)} {
		if p, err := parsePath(in); err == nil && len(p.String()) > maxPath {
			t.Errorf("a path of %d bytes is accepted as %d bytes", len(in), len(p.String()))
		}
	}
}

func FuzzParsePath(f *testing.F) {
	for _, seed := range []string{
		"", "/", "api/x", "a/../b", "%2e%2e/x", "%252e%252e%252fx", "..;/x", "a//b", "a\\b", "%c0%ae", "%uff0e%uff0e", "．．/x", "%25%32%65", "a;b/%25zz",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		p, err := parsePath(in)
		if err != nil {
			if !errors.Is(err, host.ErrInvalid) {
				t.Errorf("category of %v", err)
			}
			return
		}
		out := p.String()
		again, err := parsePath(out)
		if err != nil || again.String() != out || !slices.Equal(again.segments, p.segments) {
			t.Errorf("%q: %q, then %q, %v", in, out, again, err)
		}
		u, err := url.Parse("http://h" + out)
		if err != nil || u.EscapedPath() != out || u.Host != "h" || u.RawQuery != "" {
			t.Errorf("%q: %q is read as %v, %v", in, out, u, err)
		}
		// However often a server decodes the path, it has no dot segments.
		for text := out; ; {
			for s := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '/' || r == '\\' }) {
				if strings.Trim(s, ".") == "" || strings.HasPrefix(s, "..;") || strings.Contains(s, "\x00") {
					t.Errorf("%q: segment %q in %q", in, s, text)
				}
			}
			next := decode(text)
			if next == text {
				return
			}
			text = next
		}
	})
}

// decode decodes every valid percent escape and keeps any other percent sign.
func decode(text string) string {
	return regexp.MustCompile(`%[0-9A-Fa-f]{2}`).ReplaceAllStringFunc(text, func(escape string) string {
		decoded, _ := url.PathUnescape(escape)
		return decoded
	})
}
