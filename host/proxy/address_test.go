package proxy

import "testing"

// TestAddress covers values in all parts of an address. An empty want means an error.
func TestAddress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, value, want string }{
		{"https://api.example.com", "", "https://api.example.com/"},
		{"https://api.example.com{{ .JsonData.v }}", "/v1", "https://api.example.com/v1"},
		{"https://api.example.com{{ .JsonData.v }}", ".evil.example", ""},
		{"https://api.example.com{{ .JsonData.v }}", "@evil.example", ""},
		{"https://api.example.com{{ .JsonData.v }}/x", "evil", ""},
		{"https://{{ .JsonData.v }}.example.com/x", "eu-1", "https://eu-1.example.com/x"},
		{"https://api{{ .JsonData.v }}.example.com/x", "7", "https://api7.example.com/x"},
		{"https://{{ .JsonData.v }}.example.com/x", "evil.example/", ""},
		{"https://{{ .JsonData.v }}.example.com/x", "evil.example?", ""},
		{"https://{{ .JsonData.v }}.example.com/x", "evil.example#", ""},
		{"https://{{ .JsonData.v }}.example.com/x", "a@b", ""},
		{"https://{{ .JsonData.v }}.example.com/x", "evil.example:80", ""},
		{"https://user:{{ .JsonData.v }}@example.com/x", "pass", ""},
		{"https://example.com:{{ .JsonData.v }}/x", "8443", "https://example.com:8443/x"},
		{"{{ .JsonData.v }}://example.com/x", "http", "http://example.com/x"},
		{"{{ .JsonData.v }}://example.com/x", "ftp", ""},
		{"{{ .JsonData.v }}://example.com/x", "http://evil.example", ""},
		{"http{{ .JsonData.v }}://example.com/x", "s", ""},
		{"{{ .JsonData.v }}", "https://example.com/a/b", "https://example.com/a/b"},
		{"{{ .JsonData.v }}/api", "https://example.com/a/", "https://example.com/a/api"},
		{"{{ .JsonData.v }}?x=1", "https://example.com/a", "https://example.com/a?x=1"},
		{"{{ .JsonData.v }}/api", "https://example.com/a?b=c", ""},
		{"{{ .JsonData.v }}/api", "https://user@example.com", ""},
		{"{{ .JsonData.v }}/api", "https://example.com/../x", ""},
		{"{{ .JsonData.v }}/api", "example.com", ""},
		{"{{ .URL }}/{{ .JsonData.v }}", "x y", "http://base.example/base/x%20y"},
		{"https://example.com/{{ .JsonData.v }}", "/a/b/", "https://example.com/a/b/"},
		{"https://example.com/{{ .JsonData.v }}/c", "a/../b", ""},
		{"https://example.com/{{ .JsonData.v }}/c", "a?b#c", "https://example.com/a%3Fb%23c/c"},
		{"https://example.com/?q={{ .JsonData.v }}", "a&b=c#d", "https://example.com/?q=a%26b%3Dc%23d"},
		{"https://example.com/?q={{ urlquery .JsonData.v }}", "a&b", "https://example.com/?q=a%26b"},
	} {
		s := settings{URL: "http://base.example/base", JsonData: map[string]any{"v": c.value}}
		u, err := s.address("url", c.text)
		if c.want == "" && err == nil || c.want != "" && (err != nil || u.String() != c.want) {
			t.Errorf("%s with %q: %v, %v", c.text, c.value, u, err)
		}
	}
}
