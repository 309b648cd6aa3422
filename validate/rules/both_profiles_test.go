package rules

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate"
)

// bothProfiles returns the example of doc/compatibility.md.
func bothProfiles(t *testing.T) string {
	t.Helper()
	page := testkit.Must(os.ReadFile(filepath.FromSlash("../../doc/compatibility.md")))(t)
	example := regexp.MustCompile("(?s)```json\n(.*?)```").FindSubmatch(page)
	if example == nil {
		t.Fatal("the page has no example")
	}
	return string(example[1])
}

// TestBothProfiles requires that the example of the page is clean in both profiles, also in strict
// runs, and that its values are still checked.
func TestBothProfiles(t *testing.T) {
	t.Parallel()
	example := bothProfiles(t)
	for _, profile := range bundle.Profiles() {
		other := bundle.Profiles()[0]
		if other.Name == profile.Name {
			other = bundle.Profiles()[1]
		}
		for _, c := range []struct{ name, old, new, want string }{
			{"example", "", "", ""},
			{"deprecated keys", `"plugins": [`, `"serviceVersion": "9.x.x", "grafanaVersion": "9.x.x", "plugins": [`, ""},
			{"unknown key", `"plugins": [`, `"zebra": 1, "plugins": [`, "unknown-field /dependencies/zebra"},
			{"key of both in the wrong place", `"keywords":`, `"grants": [], "keywords":`, "unknown-field /info/grants"},
			{"only the other key", `"` + profile.DependencyKey + `": ">=10.3.0",`, "", "unknown-field /dependencies/" + other.DependencyKey},
		} {
			text := strings.Replace(example, c.old, c.new, 1)
			report := runWith(t, corpusTree(t, "src", []byte(text)), validate.Options{
				Rules: All(), Profile: profile.Name, Where: validate.Source, IsStrict: true,
			})
			got := lines(report)
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("%s, %s: want %q, got:\n%s", profile.Name, c.name, c.want, got)
			}
		}
	}
}
