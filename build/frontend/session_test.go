package frontend

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// Each bundle of a session is the same as one from scratch.
func TestSession(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	source := filepath.Join(root, "src")
	write := func(name, text string) {
		t.Helper()
		testkit.OK(t, os.MkdirAll(source, 0o755))
		testkit.OK(t, os.WriteFile(filepath.Join(source, name), []byte(text), 0o644))
	}
	o := Options{Root: root, Source: source, PluginID: "acme-x-panel", Dev: true}
	s := NewSession(o)
	defer s.Close()
	check := func(want string) {
		t.Helper()
		got, err := s.Bundle(t.Context())
		fresh, freshErr := Bundle(t.Context(), o)
		if err != nil || freshErr != nil {
			t.Fatalf("%v; from scratch: %v", err, freshErr)
		}
		if !strings.Contains(file(t, got, "module.js"), want) {
			t.Errorf("no %q in %s", want, file(t, got, "module.js"))
		}
		if len(got.Files) != len(fresh.Files) {
			t.Fatalf("%d files, from scratch %d", len(got.Files), len(fresh.Files))
		}
		for i, f := range fresh.Files {
			if got.Files[i].Path != f.Path || string(got.Files[i].Contents) != string(f.Contents) {
				t.Errorf("%s differs from %s from scratch:\n%s\n%s", got.Files[i].Path, f.Path, got.Files[i].Contents, f.Contents)
			}
		}
	}
	write("module.ts", "import {PanelPlugin} from '@grafana/data'; import logo from './a.svg'; import {x} from './lib'; export const plugin = new PanelPlugin(logo + x)")
	write("a.svg", "<svg/>")
	write("lib.ts", "export const x = 'first'")
	check("first")
	check("@grafana/data") // nothing has changed
	write("lib.ts", "export const x = 'second'")
	check("second")
	write("a.svg", "<svg></svg>")
	check("second")
	write("lib.ts", "export const x = ")
	_, err := s.Bundle(t.Context())
	if e, ok := errors.AsType[*Error](err); !ok || e.Messages[0].File != "src/lib.ts" {
		t.Errorf("a syntax error: %v", err)
	}
	write("lib.ts", "export const x = await Promise.resolve('third')")
	check("async function")
	write("lib.ts", "import {useState} from 'react'; export const x = await useState('fourth')")
	check("fourth")
	testkit.OK(t, os.Rename(filepath.Join(source, "module.ts"), filepath.Join(source, "module.tsx")))
	check("fourth")
	write("lib.ts", "import {y} from 'other'; export const x = await y")
	write("one.ts", "export const y = 'from one'")
	write("two.ts", "export const y = 'from two'")
	for _, name := range []string{"one", "two"} { // an alias that changes
		write("../webpack.config.js", "module.exports = { externals: ['react', /^@grafana/], resolve: { alias: { other: __dirname + '/src/"+name+"' } } };")
		check("from " + name)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Bundle(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	check("from two")
	testkit.OK(t, os.Remove(filepath.Join(source, "module.tsx")))
	if _, err := s.Bundle(t.Context()); err == nil || !strings.Contains(err.Error(), "no frontend in") {
		t.Errorf("without an entry: %v", err)
	}
}

// TestSessionForgets checks that a session does not keep what only one bundle found: a missing
// asset that is there now, and the list of the files that were read.
func TestSessionForgets(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		testkit.OK(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
	}
	s := NewSession(Options{Root: root, Source: root, PluginID: "acme-x-panel", Dev: true})
	defer s.Close()
	write("module.ts", "import one from './one.svg'; export const plugin = one")
	if _, err := s.Bundle(t.Context()); err == nil {
		t.Error("no error for a missing asset")
	}
	write("one.svg", "<svg/>")
	if _, err := s.Bundle(t.Context()); err != nil {
		t.Errorf("an asset that is there now: %v", err)
	}
	write("two.svg", "<svg/>")
	write("module.ts", "import two from './two.svg'; export const plugin = two")
	r := testkit.Must(s.Bundle(t.Context()))(t)
	if want := []string{"module.ts", "two.svg"}; !slices.Equal(r.Read, want) {
		t.Errorf("the bundle read %q, want %q", r.Read, want)
	}
}

// A tsconfig.json that extends a missing file is a warning with what to do, unless that file is in a package.
func TestMissingBaseConfig(t *testing.T) {
	t.Parallel()
	for extends, want := range map[string]string{
		"./.config/tsconfig.json": `tsconfig.json:1:13: cannot find base config file "./.config/tsconfig.json"; restore ./.config/tsconfig.json, or correct "extends"`,
		"@x/tsconfig":             "",
	} {
		r := mustBundle(t, map[string]string{"src/module.ts": "export const plugin = 1;", "tsconfig.json": `{"extends": "` + extends + `"}`})
		got := ""
		for _, w := range r.Warnings {
			got += w.String() + "; " + w.Help
		}
		if got != want {
			t.Errorf("extends %s: the warnings are %q, want %q", extends, got, want)
		}
	}
}

// A broken tsconfig.json is one message, without those about the imports that it explains.
func TestBrokenTsconfig(t *testing.T) {
	t.Parallel()
	for config, want := range map[string]string{
		"{\n  \"compilerOptions\": {\n":               "tsconfig.json:3:1: expected string in JSON but found end of file",
		`{"compilerOptions": {"jsx": "react-jsx",,}}`: `tsconfig.json:1:41: expected string in JSON but found ","`,
	} {
		_, err := bundle(t, map[string]string{"src/module.tsx": "import x from 'x'; export const plugin = <a/>;", "tsconfig.json": config})
		if first, _, _ := strings.Cut(fmt.Sprint(err), "\n"); first != want || strings.Contains(fmt.Sprint(err), "module.tsx") {
			t.Errorf("got the error\n%v\nwant\n%s", err, want)
		}
	}
}
