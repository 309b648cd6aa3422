package nearest

import (
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	t.Parallel()
	names := []string{"suppress", "profile", "strict", "rules"}
	for word, want := range map[string]string{"supress": "suppress", "PROFILE": "profile", "stirct": "strict", "rule": "rules", "x": "", "": ""} {
		if got := Name(word, names); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

func TestUnknown(t *testing.T) {
	t.Parallel()
	many := []string{"path-missing", "path-case", "id-format"}
	for i := range fewNames {
		many = append(many, strings.Repeat("x", i+20))
	}
	for want, err := range map[string]error{
		`unknown mode "of"; did you mean "off"?`:                                   Unknown("mode", "of", []string{"poll", "off"}),
		`unknown mode "xyz"; use one of poll, off`:                                 Unknown("mode", "xyz", []string{"poll", "off"}),
		`unknown rule "paths"; the nearest are path-case, path-missing, id-format`: Unknown("rule", "paths", many),
	} {
		if err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
