package loader

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/Masterminds/semver/v3"
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
			plugin := filepath.Join(dir, fmt.Sprint(i))
			text := fmt.Sprintf(`{"id": "acme-x%d-panel", "type": "panel", "dependencies": {"grafanaDependency": %q}}`, i, r)
			if err := os.Mkdir(plugin, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(plugin, "plugin.json"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got := HostVersion([]string{dir}, semver.MustParse("10.3.0")); got != want {
			t.Errorf("%q: got %s, want %s", required, got, want)
		}
	}
}
