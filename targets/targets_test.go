package targets

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/magefile/mage/mg"

	"github.com/slipway-dev/slipway/internal/verbs"
	"github.com/slipway-dev/slipway/targets/internal/target"
)

// TestMain lets the test executable act as the command slipway: it prints its
// arguments and what TEST_SLIPWAY asks for.
func TestMain(m *testing.M) {
	switch os.Getenv("TEST_SLIPWAY") {
	case "status 3":
		os.Exit(3)
	case "arguments":
		if err := os.WriteFile(os.Getenv("TEST_ARGUMENTS"), []byte(strings.Join(os.Args[1:], "\n")), 0o644); err != nil {
			panic(err)
		}
		os.Exit(0)
	case "waits":
		if err := os.WriteFile(os.Getenv("TEST_ARGUMENTS"), nil, 0o644); err != nil {
			panic(err)
		}
		time.Sleep(time.Minute)
	}
	os.Exit(m.Run())
}

func TestExit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		code int
		text string
	}{
		{&verbs.ExitError{Code: verbs.ExitFindings}, 1, "validate found errors"},
		{&verbs.ExitError{Code: verbs.ExitBroken}, 3, "validate is incomplete: some checks could not run"},
		{&verbs.ExitError{Code: verbs.ExitUsage, Err: errors.New("wrong")}, 2, "wrong"},
		{errors.New("plain"), 1, "plain"},
	} {
		if err := exit(c.err); mg.ExitStatus(err) != c.code || err.Error() != c.text {
			t.Errorf("%v: status %d, text %q", c.err, mg.ExitStatus(err), err)
		}
	}
	if err := exit(nil); err != nil {
		t.Error(err)
	}
}

// TestMessages checks that a target accepts every option that its messages name.
func TestMessages(t *testing.T) {
	t.Parallel()
	ctx, dir, yes := t.Context(), t.TempDir(), true
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	accepted := parameters(t)
	for _, c := range []struct {
		target string
		run    func() error
		want   string
	}{
		{"Scaffold", func() error { return Scaffold(ctx, "panel", "acme-x-panel", &dir, nil, nil, nil, nil, nil, nil) },
			"choose another directory with -dir, or overwrite files with -force"},
		{"Scaffold", func() error {
			return Scaffold(ctx, "panel", "acme-x-panel", new(filepath.Join(dir, "file")), nil, nil, nil, nil, nil, nil)
		}, "choose another path with -dir"},
		{"Validate", func() error { return validate(ctx, dir, verbs.ValidateOptions{Fix: yes, Diff: yes}) },
			"-fix and -diff cannot be used together"},
		{"Validate", func() error { return validate(ctx, dir, verbs.ValidateOptions{Baseline: "a", WriteBaseline: "b"}) },
			"-baseline and -writeBaseline cannot be used together"},
		{"Validate", func() error { return validate(ctx, dir, verbs.ValidateOptions{Format: "jsn"}) },
			`-format: unknown format "jsn"; did you mean "json"?`},
		{"Validate", func() error { return validate(ctx, dir, verbs.ValidateOptions{Profile: "x"}) }, "-profile: unknown profile"},
		{"Validate", func() error {
			return validate(ctx, dir, verbs.ValidateOptions{Key: filepath.Join(dir, "file")})
		}, "no public key found"},
		{"Sign", func() error { return Sign(nil, &dir, nil) }, "-key is required"},
		{"Verify", func() error { return Verify(new(filepath.Join(dir, "none")), nil, &dir) }, "-key: open "},
		{"Build", func() error { return Build(ctx, new("linx/arm64"), &dir, nil, nil, nil, nil) },
			`-platforms: unknown platform "linx/arm64"; did you mean "linux/arm64"?`},
		{"Build", func() error { return Build(ctx, nil, &dir, new("grafna"), nil, nil, nil) }, "-profile: unknown profile"},
		{"Init", func() error { return Init(ctx, &dir, &yes, &yes) }, "-undo and -dryRun cannot be used together"},
		{"Schema", func() error { return Schema(nil, new(filepath.Join(dir, "none")), nil) }, "choose a writable directory with -dir"},
		{"Schema", func() error { return Schema(nil, &dir, new("x")) }, "-profile: unknown profile"},
	} {
		err := c.run()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.target, err, c.want)
			continue
		}
		text := regexp.MustCompile(`"ssh-keygen [^"]*"`).ReplaceAllString(err.Error(), "") // has options of its own
		for _, found := range regexp.MustCompile(`(?:^|[\s'(])(--?[A-Za-z-]+)`).FindAllStringSubmatch(text, -1) {
			if name, _ := strings.CutPrefix(found[1], "-"); !accepted[c.target][name] {
				t.Errorf("%s does not accept %s, which its message names: %v", c.target, found[1], err)
			}
		}
	}
}

func validate(ctx context.Context, dir string, o verbs.ValidateOptions) error {
	return Validate(ctx, &dir, &o.Format, nil, &o.Profile, nil, &o.Fix, &o.Diff, nil, &o.Baseline, &o.WriteBaseline, &o.Key, &o.All, &o.Verbose)
}

// parameters returns the names of the optional parameters of each target, which Mage
// accepts as options.
func parameters(t *testing.T) map[string]map[string]bool {
	t.Helper()
	names := map[string]map[string]bool{}
	for _, file := range []string{"targets.go", "program.go", "init.go"} {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() {
				continue
			}
			names[f.Name.Name] = map[string]bool{}
			for _, p := range f.Type.Params.List {
				if _, isOption := p.Type.(*ast.StarExpr); isOption {
					for _, name := range p.Names {
						names[f.Name.Name][name.Name] = true
					}
				}
			}
		}
	}
	return names
}

func TestRunProgram(t *testing.T) {
	file := filepath.Join(t.TempDir(), "arguments")
	t.Setenv("TEST_ARGUMENTS", file)
	t.Setenv("TEST_SLIPWAY", "arguments")
	err := target.Run(t.Context(), os.Args[0], "host", map[string]*string{
		"listen": new("127.0.0.1:0"), "database": new(""), "data-dir": nil, "admin-password": new("a b=c"),
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := "host\n--face=mage\n--admin-password=a b=c\n--database=\n--listen=127.0.0.1:0"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}

	t.Setenv("TEST_SLIPWAY", "status 3")
	if err := target.Run(t.Context(), os.Args[0], "conformance", nil); mg.ExitStatus(err) != 3 || err.Error() != "conformance exited with status 3" {
		t.Errorf("status %d, error %v", mg.ExitStatus(err), err)
	}
	if err := target.Run(t.Context(), filepath.Join(t.TempDir(), "none"), "dev", nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing program: %v", err)
	}
}

// TestRunProgramIsInterrupted checks that a program ended by the end of its context is
// not an error.
func TestRunProgramIsInterrupted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "started")
	t.Setenv("TEST_ARGUMENTS", file)
	t.Setenv("TEST_SLIPWAY", "waits")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- target.Run(ctx, os.Args[0], "dev", nil) }()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(file); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the program did not start")
		}
	}
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the program did not end")
	}
}

// TestMageAcceptsOptions runs the targets through Mage in a scaffolded repository.
func TestMageAcceptsOptions(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	if err := Scaffold(t.Context(), "panel", "acme-x-panel", &dir, nil, nil, nil, nil, nil, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"validate -writeBaseline=baseline.json", 0, "no findings"},
		{"validate -baseline=none.json", 2, "baseline none.json not found; create it with -writeBaseline=none.json"},
		{"-h dev", 0, "-serviceVersion=<string>     service version reported to plugins"},
	} {
		cmd := exec.CommandContext(t.Context(), "go", append([]string{"tool", "mage"}, strings.Fields(c.args)...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != c.code || !strings.Contains(string(out), c.want) {
			t.Errorf("mage %s: %v, want status %d and %s\n%s", c.args, err, c.code, c.want, out)
		}
	}
}
