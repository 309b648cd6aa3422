package loader

import (
	"fmt"
	"os"
	"testing"
	"testing/fstest"

	"github.com/Masterminds/semver/v3"

	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestHostVersion(t *testing.T) {
	t.Parallel()
	for want, required := range map[string][]string{
		"10.3.0": {">=9.0.0", "", "nonsense", "<5"},
		"10.4.0": {">=10.4.0"},
		"12.4.3": {"^11.0.0", ">=12.4.3 <13"},
		"11.6.0": {">=11.6.0-0"},
		"11.0.1": {">11.0.0"},
	} {
		dir := t.TempDir()
		for i, r := range required {
			text := fmt.Sprintf(`{"id": "acme-x%d-panel", "type": "panel", "dependencies": {"grafanaDependency": %q}}`, i, r)
			testkit.OK(t, os.CopyFS(dir, fstest.MapFS{fmt.Sprint(i, "/plugin.json"): {Data: []byte(text)}}))
		}
		if got := HostVersion([]string{dir}, semver.MustParse("10.3.0")); got != want {
			t.Errorf("%q: got %s, want %s", required, got, want)
		}
	}
}
