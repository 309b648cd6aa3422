package nearest

import "testing"

func TestName(t *testing.T) {
	t.Parallel()
	names := []string{"suppress", "profile", "strict", "rules"}
	for word, want := range map[string]string{"supress": "suppress", "PROFILE": "profile", "stirct": "strict", "rule": "rules", "x": "", "": ""} {
		if got := Name(word, names); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}
