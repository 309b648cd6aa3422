package host

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestBox(t *testing.T) {
	t.Parallel()
	box := func(key byte) *Box {
		return testkit.Must(NewBox(bytes.Repeat([]byte{key}, KeyLength)))(t)
	}
	first, second := box(1).Seal("a secret", "here"), box(1).Seal("a secret", "here")
	if first == second || strings.Contains(first, "secret") {
		t.Errorf("sealed %q and %q", first, second)
	}
	if text, err := box(1).Open(first, "here"); err != nil || text != "a secret" {
		t.Errorf("opened %q, %v", text, err)
	}
	changed := "A" + first[1:]
	if changed == first {
		changed = "B" + first[1:]
	}
	for name, open := range map[string]func() (string, error){
		"another key":     func() (string, error) { return box(2).Open(first, "here") },
		"another purpose": func() (string, error) { return box(1).Open(first, "there") },
		"cut":             func() (string, error) { return box(1).Open(first[:8], "here") },
		"changed":         func() (string, error) { return box(1).Open(changed, "here") },
		"no base64":       func() (string, error) { return box(1).Open("?", "here") },
	} {
		if text, err := open(); !errors.Is(err, ErrSealed) || text != "" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	for _, text := range []string{"", "ab", strings.Repeat("z", 64), strings.Repeat("ab", 33)} {
		if _, err := ParseKey(text); err == nil {
			t.Errorf("ParseKey(%q) succeeds", text)
		}
	}
	if key, err := ParseKey(" " + strings.Repeat("ab", 32) + "\n"); err != nil || len(key) != KeyLength {
		t.Errorf("%v, %v", key, err)
	}
}
