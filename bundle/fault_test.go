package bundle

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
)

var update = flag.Bool("update", false, "write doc/failures.md")

// TestFailuresDocument requires that doc/failures.md describes every code.
func TestFailuresDocument(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("# Failures of plugins\n\nThis page lists the reasons why a plugin is not mounted, or why its backend is not running or not\n" +
		"working correctly, and the requirements that a mounted plugin may fail to meet. \"go tool mage docs\" generates this file.\n\n" +
		"`GET /api/plugins/errors` and `slipway plugins` report each failure with its stage, path, line if\n" +
		"known, reason, help and time, and the last lines that the process wrote to standard error. The sections are the\n" +
		"stages, in the order in which a plugin passes through them.\n")
	var stage Stage
	for _, k := range FaultKinds() {
		if k.Stage != stage {
			stage = k.Stage
			fmt.Fprintf(&b, "\n## %s\n\n| Code | Meaning | Help |\n|---|---|---|\n", stage)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Code, k.Summary, k.Help)
	}
	name := filepath.Join("..", "doc", "failures.md")
	testkit.Golden(t, *update, name, b.String())
}

// TestFaultKinds requires that each constant of type FaultCode is described once, in the
// order of the stages.
func TestFaultKinds(t *testing.T) {
	t.Parallel()
	f := testkit.Must(parser.ParseFile(gotoken.NewFileSet(), "fault.go", nil, parser.SkipObjectResolution))(t)
	declared := map[FaultCode]int{}
	ast.Inspect(f, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && spec.Type != nil && fmt.Sprint(spec.Type) == "FaultCode" {
			text := testkit.Must(strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value))(t)
			declared[FaultCode(text)]++
		}
		return true
	})
	described := map[FaultCode]int{}
	stages := []Stage{StageDiscover, StageRead, StageValidate, StageResolve, StageLaunch, StageHandshake, StageHealth, StageRun}
	for _, k := range FaultKinds() {
		described[k.Code]++
		for len(stages) > 0 && stages[0] != k.Stage {
			stages = stages[1:]
		}
		if len(stages) == 0 {
			t.Fatalf("%s: the stage %q is unknown or out of order", k.Code, k.Stage)
		}
		if k.Summary == "" || k.Help == "" || strings.HasSuffix(k.Summary+k.Help, ".") {
			t.Errorf("%s: the summary %q and the help %q must be sentences without a period", k.Code, k.Summary, k.Help)
		}
		if k.Code.Stage() != k.Stage || k.Code.Help() != k.Help {
			t.Errorf("%s: stage %q, help %q", k.Code, k.Code.Stage(), k.Code.Help())
		}
	}
	if diff := cmp.Diff(declared, described); diff != "" {
		t.Errorf("codes (-declared +described):\n%s", diff)
	}
	for code, n := range declared {
		if n != 1 {
			t.Errorf("%s is declared %d times", code, n)
		}
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{\n  \"id\": \"a\",,\n}": "invalid-json 2:13",
		"{\n  \"id\": 1\n}":       "invalid-value 2:9 id must be a string, found a number",
		"[]":                      "invalid-value 1:1 plugin.json must be an object, found an array",
		"{\"id\": \"a\",\n \"info\": {\"version\": true}}":       "invalid-value 2:22 info.version must be a string, found a boolean",
		"{\"id\": \"a\", \"dependencies\":\n {\"plugins\": {}}}": "invalid-value 2:14 dependencies.plugins must be an array, found an object",
		"{\"id\": \"a b\"}":                    "invalid-id 1:8",
		"{\"id\": \"a\",\n\"type\": \"nope\"}": "unknown-type 2:9 unknown type \"nope\"",
		"{\"id\": \"a\", \"dependencies\": {\"serviceDependency\": 1}, \"type\": true}": "invalid-value",
	} {
		dir := t.TempDir()
		testkit.OK(t, os.WriteFile(filepath.Join(dir, MetadataFile), []byte(text), 0o644))
		_, faults := Discover(dir)
		if len(faults) != 1 {
			t.Errorf("%q: %d faults", text, len(faults))
			continue
		}
		f := faults[0]
		if got := fmt.Sprintf("%s %d:%d %s", f.Code, f.Line, f.Column, f.Reason); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestMissingKeys(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`{}`: {"id", "name", "type", "info", "dependencies"},
		`{"id":"a","name":"","type":null,"info":{},"dependencies":{}}`: {
			"name", "type", "info.version", "info.updated", "info.keywords", "info.logos", "dependencies.serviceDependency"},
		`{"id":"a","name":"a","type":"app","info":{"version":"1","updated":"u","keywords":[],"logos":{"small":"s","large":"l"}},"dependencies":{"grafanaVersion":"4.6.x"}}`: {
			"dependencies.grafanaDependency"},
		`{"ID":"a","name":"a","Type":"app","INFO":{"Version":"1","updated":"u","keywords":[],"logos":{"small":"s","LARGE":"l"}},"dependencies":{"GrafanaDependency":"*"}}`: nil,
		`{"id":"a","name":"a","type":"app","info":{"version":"1","updated":"u","keywords":[],"logos":{"small":"s"}},"dependencies":{"grafanaDependency":"*","plugins":[{"id":"b"}]}}`: {
			"info.logos.large", "dependencies.plugins[0].name", "dependencies.plugins[0].type", "dependencies.plugins[0].version"},
	} {
		m := testkit.Must(ParseMetadata([]byte(text)))(t)
		if diff := cmp.Diff(want, m.Missing); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func TestKeepSince(t *testing.T) {
	t.Parallel()
	first, second := time.Unix(1, 0), time.Unix(2, 0)
	earlier := []Fault{{Code: FaultLink, Path: "a"}}
	KeepSince(nil, earlier, first)
	now := []Fault{{Code: FaultLink, Path: "b"}, {Code: FaultLink, Path: "a"}}
	KeepSince(earlier, now, second)
	if now[0].Since != second || now[1].Since != first {
		t.Errorf("since %v and %v", now[0].Since, now[1].Since)
	}
}
