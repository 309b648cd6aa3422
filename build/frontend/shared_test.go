package frontend

import "testing"

func TestIsShared(t *testing.T) {
	t.Parallel()
	for module, want := range map[string]bool{"react": true, "@grafana/data": true, "@grafana/data/unstable": true, "react/jsx-runtime": false, "moments": false} {
		if got := isShared(module); got != want {
			t.Errorf("%s: %t", module, got)
		}
	}
}
