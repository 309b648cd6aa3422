package dev

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/build/typecheck"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// Type errors, and why there is no check, are printed when they change.
func TestTyped(t *testing.T) {
	t.Parallel()
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	s := &session{face: verbs.Mage, repo: bundle.Repo{Root: t.TempDir()}, stdout: out}
	testkit.WriteFile(t, filepath.Join(s.repo.Root, "src", "a.ts"), "x\n'ä😀' as y\n")
	wrong := []typecheck.Problem{{File: "src/a.ts", Line: 2, Column: 6, Source: "'ä😀' as y", Code: "TS1", Text: "no\n  why"}, {Code: "TS2688", Text: "no types"}}
	const missing = "types are not checked: go tool mage deps -types downloads what is needed\n"
	root := filepath.ToSlash(s.repo.Root)
	errors2 := "types checked by TypeScript 9 in 0.50s\n" + root + "/src/a.ts:2:5: error TS1: no\n  why\n    2 | 'ä😀' as y\n      |     ^\n\n" + root + "/tsconfig.json: error TS2688: no types\n\n" +
		"2 type errors; the change is live\n"
	for i, c := range []struct {
		typing
		want string
	}{
		{typing{err: typecheck.ErrNotBrought}, missing},
		{typing{err: typecheck.ErrNotBrought}, ""},
		{typing{}, ""},
		{typing{problems: wrong, by: "TypeScript 9", took: time.Second / 2}, errors2},
		{typing{problems: wrong}, "2 type errors, as before\n"},
		{typing{by: "TypeScript 9"}, "types checked by TypeScript 9 in 0.00s\nfixed: no type errors\n"},
		{typing{err: errors.New("gone")}, "types are not checked: gone\n"},
	} {
		before, _ := os.ReadFile(out.Name())
		s.typed(c.typing)
		all, err := os.ReadFile(out.Name())
		if diff := cmp.Diff(c.want, string(all[len(before):])); diff != "" || err != nil {
			t.Errorf("%d: %v\n%s", i, err, diff)
		}
	}
}

// The result of a check that a later change has canceled is not shown.
func TestCanceledTypes(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	testkit.WriteFile(t, filepath.Join(root, "src", "module.ts"), "")
	s := &session{repo: bundle.Repo{Root: root, Source: filepath.Join(root, "src")}, types: types{checked: make(chan typing, 1), cancel: func() {}}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 30 {
		var running sync.WaitGroup
		s.checkTypes(ctx, &running)
		running.Wait()
		if len(s.types.checked) > 0 {
			t.Fatalf("a canceled check has a result: %v", <-s.types.checked)
		}
	}
}
