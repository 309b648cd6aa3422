package verbs

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/templates"
)

// TestExamples checks that each example is a whole plugin.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, kind := range templates.Types() {
		if kind.Name == "panel" { // the examples show backends
			continue
		}
		dir := filepath.Join("..", "..", "..", "examples", kind.Name)
		printed, err := validated(t, validateOptions{Path: dir, Config: filepath.Join(dir, "..", "slipway.yaml"), Strict: true})
		if err != nil || !strings.Contains(printed, "no findings in 1 plugin.json file") {
			t.Errorf("%s: %v\n%s", kind.Name, err, printed)
		}
	}
}
