package dev

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/cmd/internal/adopt"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// The browser is started with the address, and nobody waits for it.
func TestOpenBrowser(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the test replaces xdg-open, which only Linux has")
	}
	dir := t.TempDir()
	testkit.WriteFile(t, filepath.Join(dir, "xdg-open"), "#!/bin/sh\necho \"$@\" > \"$0.part\" && mv \"$0.part\" \"$0.out\"\n")
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	const url = "http://127.0.0.1:1"
	testkit.OK(t, openBrowser(t.Context(), url))
	for {
		if got, err := os.ReadFile(filepath.Join(dir, "xdg-open.out")); err == nil {
			if string(got) != url+"\n" {
				t.Errorf("opened %q", got)
			}
			break
		}
		time.Sleep(time.Millisecond)
	}
	t.Setenv("PATH", t.TempDir())
	if err := openBrowser(t.Context(), url); err == nil {
		t.Error("a missing browser has no error")
	}
}

func TestQuoteShell(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"http://127.0.0.1:3000/api/x-y_z": "http://127.0.0.1:3000/api/x-y_z",
		"":                                "''",
		"a b":                             "'a b'",
		"it's $(x)":                       `'it'\''s $(x)'`,
		`{"a":1}`:                         `'{"a":1}'`,
	} {
		if got := quoteShell(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}

// Only a scaffold is known to respond to the query of the scaffold.
func TestExampleQuery(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if got := exampleQuery(root); got != "{}" {
		t.Errorf("for a plugin that was not scaffolded: %s", got)
	}
	testkit.WriteFile(t, filepath.Join(root, adopt.ScaffoldRecord), "{}")
	if got := exampleQuery(root); got != `{"points":5,"amplitude":1}` {
		t.Errorf("for a scaffold: %s", got)
	}
}
