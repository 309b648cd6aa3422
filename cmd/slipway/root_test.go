package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/build/bundler"
	"github.com/slipway-dev/slipway/cmd/internal/verbs"
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
	p := newProgram(face, files[0], files[1])
	p.Verbs = verbs.All(bundler.Bundler{}) // without building slipway-bundler
	code = p.Run(t.Context(), args)
	var texts [2]string
	for i, f := range files {
		text := testkit.Must(os.ReadFile(f.Name()))(t)
		texts[i] = string(text)
	}
	return texts[0], texts[1], code
}

// optionForm matches an option in a message, such as --write-baseline or -fix.
var optionForm = regexp.MustCompile(`(?:^|[\s'(])(--?[a-z][A-Za-z-]*)`)

// TestUsageErrors checks the messages of invalid command lines, and that the verb
// accepts every option that a message names.
func TestUsageErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"scafold"}, "unknown command \"scafold\"; did you mean \"scaffold\"?\nrun 'slipway --help' for usage"},
		{[]string{"help", "biuld"}, "unknown command \"biuld\"; did you mean \"build\"?\nrun 'slipway --help' for usage"},
		{[]string{"biuld", "--help"}, "unknown command \"biuld\"; did you mean \"build\"?\nrun 'slipway --help' for usage"},
		{[]string{"--help", "biuld"}, "unknown command \"biuld\"; did you mean \"build\"?"},
		{[]string{"biuld", "-h", "--dir=x"}, "unknown command \"biuld\"; did you mean \"build\"?"},
		{[]string{"biuld", "--dir", "x"}, "unknown command \"biuld\"; did you mean \"build\"?"},
		{[]string{"biuld", "--version"}, "unknown command \"biuld\"; did you mean \"build\"?"},
		{[]string{"--", "biuld"}, "unknown command \"biuld\"; did you mean \"build\"?"},
		{[]string{"zzzzzzzz"}, "unknown command \"zzzzzzzz\"; use one of build, clean, compat, completion, conformance, deps, dev, explain, format, host, init, lint, package, plugins, preview, rules, scaffold, schema, test, validate, verify, version\nrun 'slipway --help' for usage"},
		{[]string{"scaffold", "pannel", "acme-x-panel"}, `unknown plugin type "pannel"; did you mean "panel"?`},
		{[]string{"scaffold"}, "missing argument <type>\nusage: slipway scaffold <type> <id> [flags]\nhelp: the types are app, datasource, panel"},
		{[]string{"scaffold", "panel"}, "missing argument <id>\nusage: slipway scaffold <type> <id> [flags]"},
		{[]string{"scaffold", "panel", "acme-x-panel", "--dir=."}, "choose another directory with --dir, or overwrite files with --force"},
		{[]string{"scaffold", "panel", "acme-x-panel", "--backend=yes"}, "--backend: invalid value \"yes\": must be true or false\n"},
		{[]string{"init", "x"}, "unexpected argument \"x\"\nusage: slipway init [flags]"},
		{[]string{"init", "--undo", "--dry-run"}, "--undo and --dry-run cannot be used together"},
		{[]string{"init", "--undo", "--dir=" + dir}, "there is nothing to undo"},
		{[]string{"init", "--dir=" + dir}, "no plugin.json or src/plugin.json"},
		{[]string{"scaffold", "update", "--dir=" + dir}, "only repositories that record their scaffold can be updated"},
		{[]string{"scaffold", "update", "--dri"}, "unknown option --dri; did you mean --dir?\nrun 'slipway scaffold update --help' for usage"},
		{[]string{"test", "--dir=" + dir}, "no plugin.json or src/plugin.json"},
		{[]string{"lint", "--dir=" + dir}, "no plugin.json or src/plugin.json"},
		{[]string{"format", "--dir=" + dir}, "no plugin.json or src/plugin.json"},
		{[]string{"clean", "--dir=" + dir}, "no plugin.json or src/plugin.json"},
		{[]string{"compat", "a", "b"}, "unexpected argument \"b\"\nusage: slipway compat [path] [flags]"},
		{[]string{"validate", "--formt=json"}, "unknown option --formt; did you mean --format?\nrun 'slipway validate --help' for usage"},
		{[]string{"validate", "-strict"}, "unknown option -strict; did you mean --strict?\nrun 'slipway validate --help' for usage"},
		{[]string{"validate", "-formt=json"}, "unknown option -formt; did you mean --format?\nrun 'slipway validate --help' for usage"},
		{[]string{"validate", "-verbos"}, "unknown option -verbos; did you mean --verbose?\nrun 'slipway validate --help' for usage"}, // -v is one
		{[]string{"-version"}, "unknown option -version; did you mean --version?\nrun 'slipway --help' for usage"},
		{[]string{"validate", "-t", "--output=x"}, "unknown option -t\n"},
		{[]string{"validate", "-x"}, "unknown option -x\nrun 'slipway validate --help' for usage"},
		{[]string{"validate", "--zzzzzzzz"}, "unknown option --zzzzzzzz\nrun 'slipway validate --help' for usage"},
		{[]string{"validate", "--format"}, "--format needs a value\nrun 'slipway validate --help' for usage"},
		{[]string{"validate", "--format=jsn"}, `--format: unknown format "jsn"; did you mean "json"?`},
		{[]string{"validate", "--profile=sevice"}, `--profile: unknown profile "sevice"; did you mean "service"?`},
		{[]string{"validate", "--fix", "--diff"}, "--fix and --diff cannot be used together"},
		{[]string{"validate", "--baseline=a", "--write-baseline=b"}, "--baseline and --write-baseline cannot be used together"},
		{[]string{"validate", "--baseline=none.json", dir}, "baseline none.json not found; create it with --write-baseline=none.json"},
		{[]string{"explain", "path-mising"}, `unknown rule "path-mising"; did you mean "path-missing"?`},
		{[]string{"schema", "plugn"}, `unknown schema "plugn"; did you mean "plugin"?`},
		{[]string{"schema", "--profile=graphana"}, `--profile: unknown profile "graphana"; did you mean "grafana"?`},
		{[]string{"build", "--platforms=linx/amd64"}, `--platforms: unknown platform "linx/amd64"; did you mean "linux/amd64"?`},
		{[]string{"build", "--profile=x"}, `--profile: unknown profile "x"; use one of service, grafana`},
		{[]string{"conformance", "--timeout=soon"}, "--timeout: invalid value \"soon\": must be a duration, such as 30s\nrun 'slipway conformance --help' for usage"},
	} {
		_, stderr, code := slipway(t, c.args...)
		if code != verbs.ExitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: status %d, want %d and %s\n%s", c.args, code, verbs.ExitUsage, c.want, stderr)
		}
		verb, _, err := newProgram(verbs.Command, os.Stdout, os.Stderr).Root().Find(c.args[:1])
		if err != nil {
			continue // the error is about the command
		}
		for _, found := range optionForm.FindAllStringSubmatch(stderr, -1) {
			name, isLong := strings.CutPrefix(found[1], "--")
			isTyped := slices.ContainsFunc(c.args, func(arg string) bool { return strings.HasPrefix(arg, found[1]) })
			if !isTyped && name != "help" && (!isLong || verb.Flags().Lookup(name) == nil) {
				t.Errorf("%v: the message names %s, which %s does not accept\n%s", c.args, found[1], verb.Name(), stderr)
			}
		}
	}
}

// TestNamedOptionsExist looks for options in the source of the messages, which need
// not all be printed by the tests.
func TestNamedOptionsExist(t *testing.T) {
	t.Parallel()
	accepted := map[string]bool{}
	for _, v := range verbs.All(nil) {
		for _, o := range v.Options {
			accepted[o.Name] = true
		}
		for _, a := range v.Args {
			accepted[a.Option] = true // under Mage
		}
	}
	names := optionsInSource(t, filepath.Join("..", "internal", "verbs"))
	if len(names) < 5 {
		t.Errorf("found only the options %v", names)
	}
	for _, name := range names {
		if !accepted[name] {
			t.Errorf("a message names the option %s, which no verb accepts", name)
		}
	}
}

// optionsInSource returns the names passed to Face.Option in the files of a package.
func optionsInSource(t *testing.T, dir string) (names []string) {
	t.Helper()
	files := testkit.Must(filepath.Glob(filepath.Join(dir, "*.go")))(t)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed := testkit.Must(parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution))(t)
		for n := range ast.Preorder(parsed) {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				continue
			}
			selector, isSelector := call.Fun.(*ast.SelectorExpr)
			literal, isLiteral := call.Args[0].(*ast.BasicLit)
			if isSelector && isLiteral && selector.Sel.Name == "Option" {
				name := testkit.Must(strconv.Unquote(literal.Value))(t)
				names = append(names, name)
			}
		}
	}
	return names
}

func TestCompletion(t *testing.T) {
	stdout, stderr, code := slipway(t, cobra.ShellCompRequestCmd, "sca")
	if want := "scaffold\tCreate a plugin repository\n:4\n"; code != 0 || stdout != want {
		t.Errorf("status %d, got %q, want %q\n%s", code, stdout, want, stderr)
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	want := verbs.ReadVersion()
	for _, args := range [][]string{{"version"}, {"--version"}} {
		if stdout, stderr, code := slipway(t, args...); code != 0 || stdout != want.String() {
			t.Errorf("%v: status %d\n%s%s", args, code, stdout, stderr)
		}
	}
}
