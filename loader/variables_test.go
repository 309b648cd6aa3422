package loader

import (
	"slices"
	"testing"
)

func TestVariables(t *testing.T) {
	t.Parallel()
	list := Variables()
	for _, name := range []string{"GF_APP_URL", "SVC_APP_URL", "GF_PLUGIN_APP_CLIENT_SECRET", "SVC_PLUGIN_PROFILING_PORT"} {
		if !slices.Contains(list, name) {
			t.Errorf("%s is missing from %v", name, list)
		}
	}
}
