package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/server"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// slipway runs the command line and returns what it printed and its exit status.
func slipway(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return runAs(t, verbs.Command, args...)
}

func runAs(t *testing.T, face verbs.Face, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var files [2]*os.File
	for i, name := range []string{"stdout", "stderr"} {
		f := testkit.Must(os.Create(filepath.Join(t.TempDir(), name)))(t)
		defer f.Close()
		files[i] = f
	}
	code = newProgram(face, files[0], files[1]).Run(t.Context(), args)
	var texts [2]string
	for i, f := range files {
		text := testkit.Must(os.ReadFile(f.Name()))(t)
		texts[i] = string(text)
	}
	return texts[0], texts[1], code
}

// TestMageFace checks that a verb started by a Mage target spells options as Mage does.
func TestMageFace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ arg, want string }{
		{"--service-versio=x", "unknown option -serviceVersio; did you mean -serviceVersion?\nrun 'go tool mage -h host' for usage"},
		{"--data-dir", "-dataDir needs a value\nrun 'go tool mage -h host' for usage"},
	} {
		if _, stderr, code := runAs(t, verbs.Mage, "host", c.arg); code != verbs.ExitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: status %d, want %d and %s\n%s", c.arg, code, verbs.ExitUsage, c.want, stderr)
		}
	}
}

func TestUsageErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"host", "--debug-wait"}, "--debug-wait needs --debug"},
		{[]string{"host", "--watch=pol"}, `--watch: unknown mode "pol"; did you mean "poll"?`},
	} {
		if _, stderr, code := slipway(t, c.args...); code != verbs.ExitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: status %d, want %d and %s\n%s", c.args, code, verbs.ExitUsage, c.want, stderr)
		}
	}
}

// The table of verbs does not import the host, but describes its options.
func TestTable(t *testing.T) {
	t.Parallel()
	if verbs.LeastHostVersion != server.LeastServiceVersion().String() || verbs.MinPassword != host.MinPasswordLength {
		t.Error("the table of verbs has other values than the host")
	}
	for _, v := range verbs.All(nil) {
		isHere := slices.ContainsFunc(newProgram(verbs.Command, os.Stdout, os.Stderr).Verbs, func(own verbs.Verb) bool { return own.Name == v.Name && own.Run != nil })
		if isHere != v.IsHosted {
			t.Errorf("%s is part of this program: %t, want %t", v.Name, isHere, v.IsHosted)
		}
	}
}
