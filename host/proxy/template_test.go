package proxy

import (
	"errors"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// FuzzTemplate checks that templates end without a panic and within the limits.
func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{
		"{{ .JsonData.a }}", "{{ .SecureJsonData.b | urlquery }}", `{{ printf "%s%5d%q" .JsonData.a 3 "x" }}`, "{{ if .JsonData.a }}x{{ else if .URL }}y{{ end }}",
		"{{ with $x := .JsonData }}{{ $x.a }}{{ end }}", "{{ range .JsonData }}{{ end }}", `{{ define "x" }}{{ template "x" }}{{ end }}`, `{{ (index .JsonData "o").p }}`,
		"{{/* */}}", "{{ len .URL }}", "{{ $x := .URL }}{{ $x = printf \"%s%s\" $x $x }}{{ $x }}", "http://{{ .JsonData.a }}/{{ .JsonData.n }}?{{ .URL }}",
	} {
		f.Add(seed)
	}
	s := testkit.Must(newSettings("http://h/", []byte(`{"a":"x","n":1,"o":{"p":"q"},"l":["y"]}`), map[string]string{"b": "&"}))(f)
	f.Fuzz(func(t *testing.T, text string) {
		out, err := s.render("x", text)
		if err != nil && !errors.Is(err, host.ErrUnavailable) {
			t.Errorf("%q: %v", text, err)
		}
		if strings.Contains(text, "{{") && len(out) > maxRendered || strings.Contains(out, "<no value>") && !strings.Contains(text, "<no value>") {
			t.Errorf("%q prints %d bytes: %.100q", text, len(out), out)
		}
		u, err := s.address("x", text)
		if err != nil {
			return
		}
		if again, err := parseAddress(u.String()); err != nil || again.String() != u.String() {
			t.Errorf("%q: %s, then %v, %v", text, u, again, err)
		}
	})
}
