package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/slipway-dev/slipway"

// pkg is what go list tells of a package of this module.
type pkg struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
	Deps       []string
}

// path is the import path below the module.
func (p pkg) path() string { return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/") }

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps=false", "-json=ImportPath,Dir,GoFiles,Imports,Deps", module+"/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	if len(list) < 10 {
		t.Fatalf("go list named only %d packages", len(list))
	}
	return list
}

// arrows says which packages of ours each package may import.
func arrows() map[string][]string {
	return map[string][]string{
		"bundle":                   nil,
		"templates":                nil,
		"internal/wire":            nil,
		"internal/wire/rendererpb": nil,
		"internal/wire/secretspb":  nil,
		"internal/origin":          nil,
		"host":                     nil,
		"validate/ranges":          nil,
		"validate":                 {"bundle", "validate/archive"},
		"validate/archive":         nil,
		"validate/rules":           {"validate", "validate/ranges", "validate/archive", "bundle", "internal/nearest"},
		"validate/report":          {"validate"},
		"validate/rulebook":        {"validate"},
		"validate/fix":             {"validate", "bundle"},
		"build":                    {"bundle", "validate"},
		"build/archive":            {"bundle"},
		"internal/verbs":           {"templates", "validate", "validate/rules", "validate/report", "validate/rulebook", "validate/fix", "validate/archive", "validate/config", "validate/baseline", "build", "bundle", "internal/origin"},
		"internal/newrule":         nil,
		"internal/testdb":          nil,
		"internal/demo":            {"internal/verbs", "templates"},
		"internal/nearest":         nil,
		"validate/config":          {"validate", "bundle", "internal/nearest"},
		"validate/baseline":        {"validate"},
		"targets":                  {"internal/verbs", "templates"},
		"sdk":                      {"internal/wire"},
		"sdk/frame":                nil,
		"sdk/frames":               {"sdk"},
		"sdk/sdktest":              {"sdk", "sdk/frames"},
		"sdk/httpclient":           {"sdk"},
		"sdk/metrics":              {"sdk"},
		"sdk/profiling":            {"sdk"},
		"sdk/tracing":              {"sdk"},
		"sdk/renderer":             {"sdk", "internal/wire", "internal/wire/rendererpb"},
		"sdk/secretsmanager":       {"sdk", "internal/wire", "internal/wire/secretspb"},
		"examples/datasource":      {"sdk", "sdk/frame", "sdk/httpclient"},
		"examples/app":             {"sdk"},
		"examples/renderer":        {"sdk", "sdk/httpclient", "sdk/renderer"},
		"examples/secretsmanager":  {"sdk", "sdk/secretsmanager"},
		"loader":                   {"sdk", "internal/wire", "bundle"},
		"conformance":              {"bundle", "loader", "sdk/frames", "internal/wire"},
		"host/store":               {"host"},
		"host/proxy":               {"host", "bundle"},
		"host/api":                 {"host", "host/store", "host/proxy", "bundle", "loader", "sdk", "sdk/frames"},
		"internal/arch":            nil,
		"internal/e2e":             nil,
	}
}

func TestArrows(t *testing.T) {
	t.Parallel()
	allowed := arrows()
	seen := map[string]bool{}
	for _, p := range packages(t) {
		seen[p.path()] = true
		if p.path() == "cmd/slipway" || strings.HasPrefix(p.path(), "internal/e2e") {
			continue // wires everything
		}
		may, listed := allowed[p.path()]
		if !listed {
			t.Errorf("%s is not in the list of arrows: say what it may import, here and in doc/design.md", p.path())
			continue
		}
		for _, imported := range p.Imports {
			ours, isOurs := strings.CutPrefix(imported, module+"/")
			if isOurs && !slices.Contains(may, ours) {
				t.Errorf("%s imports %s: its arrows go to %v only", p.path(), ours, may)
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(allowed)) {
		if !seen[path] && path != "internal/e2e" {
			t.Errorf("the list of arrows names %s, which is no package", path)
		}
	}
}

// never lists what must not be imported, and why. imported stands for itself and
// what is below it, but not for the rest of a folder of the standard library. from
// and except match a package and all below it; via also looks at what the imports
// import.
var never = []struct {
	imported string
	from     []string // "" is every package
	except   []string
	via      bool
	why      string
}{
	{"github.com/magefile/mage", []string{""}, []string{"targets"}, false,
		"the rest is a library that anyone can call without Mage"},
	{"github.com/hashicorp/go-plugin", []string{""}, []string{"sdk", "loader", "internal/wire"}, false,
		"the protocol has two ends and no more"},
	{module + "/loader", []string{"bundle", "validate", "build", "templates", "targets", "internal/verbs"}, nil, true,
		"the first mage run in a plugin repository must not compile a host"},
	{module + "/conformance", []string{"bundle", "validate", "build", "templates", "targets", "internal/verbs", "sdk", "loader", "host"}, nil, true,
		"only the program slipway tries plugins"},
	{module + "/host", []string{"bundle", "validate", "build", "templates", "targets", "internal/verbs"}, nil, true,
		"the first mage run in a plugin repository must not compile a SQL engine"},
	{"modernc.org/sqlite", []string{"bundle", "validate", "build", "templates", "targets", "internal/verbs", "sdk", "loader"}, nil, true,
		"only the host needs a SQL engine"},
	{module + "/validate", []string{"sdk"}, nil, true, "an author pays for what they import"},
	{module + "/build", []string{"sdk"}, nil, true, "an author pays for what they import"},
	{module + "/loader", []string{"sdk"}, nil, true, "an author pays for what they import"},
	{module + "/host", []string{"sdk"}, nil, true, "an author pays for what they import"},
	{"github.com/apache/arrow-go", []string{"sdk"}, []string{"sdk/frames", "sdk/sdktest"}, true, "frames are the author's import"},
	{"github.com/grafana/grafana-plugin-sdk-go/data", []string{"sdk"}, []string{"sdk/frames", "sdk/sdktest"}, true, "frames are the author's import"},
	{"github.com/grafana/grafana-plugin-sdk-go/backend", []string{""}, nil, true, "we are the other SDK"},
	{"go.opentelemetry.io", []string{"sdk"}, []string{"sdk/tracing"}, true, "traces are the author's import"},
	{"github.com/prometheus", []string{"sdk"}, []string{"sdk/metrics"}, true, "metrics are the author's import"},
	{"database/sql", []string{""}, []string{"host/store"}, false, "SQL has one home"},
	{"net/http", []string{"host"}, []string{"host/api", "host/proxy"}, false, "nouns and their storage know nothing of HTTP"},
	{"log", []string{""}, nil, false, "use log/slog, passed in"},
	{"io/ioutil", []string{""}, nil, false, "use io and os"},
	{"github.com/pkg/errors", []string{""}, nil, false, "use errors and fmt.Errorf with %w"},
}

func TestNever(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		for _, rule := range never {
			if !matches(p.path(), rule.from) || matches(p.path(), rule.except) {
				continue
			}
			list := p.Imports
			if rule.via {
				list = p.Deps
			}
			for _, imported := range list {
				isStandard := !strings.Contains(rule.imported, ".")
				if imported == rule.imported || !isStandard && within(imported, rule.imported) {
					t.Errorf("%s imports %s: %s", p.path(), imported, rule.why)
				}
			}
		}
	}
}

func matches(path string, list []string) bool {
	return slices.ContainsFunc(list, func(l string) bool { return l == "" || within(path, l) })
}

func within(path, parent string) bool { return path == parent || strings.HasPrefix(path, parent+"/") }

func TestNames(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		for part := range strings.SplitSeq(p.path(), "/") {
			if slices.Contains([]string{"util", "utils", "common", "helpers", "types", "pkg", "misc"}, part) {
				t.Errorf("%s: name the package for what it holds", p.path())
			}
		}
	}
}
