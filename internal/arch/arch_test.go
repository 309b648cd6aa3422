package arch

import (
	"bytes"
	"encoding/json"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

const module = "github.com/slipway-dev/slipway"

// pkg describes a package of this module, as go list prints it.
type pkg struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
	Deps       []string
}

// path returns the import path without that of the module.
func (p pkg) path() string { return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/") }

// packages returns the packages of this module.
func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps=false", "-json=ImportPath,Dir,GoFiles,Imports,Deps", module+"/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p pkg
		testkit.OK(t, d.Decode(&p))
		list = append(list, p)
	}
	if len(list) < 10 {
		t.Fatalf("go list printed only %d packages", len(list))
	}
	return list
}

// arrows returns the packages of this module that each package may import.
func arrows() map[string][]string {
	return map[string][]string{
		"bundle":                   {"bundle/tree", "internal/jsontype", "internal/limit"},
		"bundle/access":            nil,
		"templates":                {"bundle", "internal/atomicfile", "internal/nearest"},
		"internal/wire":            nil,
		"internal/wire/handshake":  nil,
		"internal/urlpath":         nil,
		"internal/wire/rendererpb": nil,
		"internal/wire/secretspb":  nil,
		"internal/version":         nil,
		"host":                     {"bundle/access", "host/gate", "sdk/hostapi", "internal/text"},
		"host/gate":                nil,
		"bundle/ranges":            nil,
		"validate":                 {"bundle", "bundle/config", "bundle/zipfs", "bundle/tree", "internal/limit", "validate/shared"},
		"bundle/tree":              {"internal/atomicfile"},
		"validate/rules":           {"bundle/archive", "bundle/signature", "validate", "validate/shared", "bundle/ranges", "bundle/zipfs", "validate/inspect", "validate/schema", "bundle/tree", "bundle", "bundle/access", "internal/nearest", "internal/jsontype", "internal/limit"},
		"validate/inspect":         {"validate", "validate/script", "validate/shared", "bundle/ranges", "bundle/tree", "bundle", "bundle/archive", "bundle/signature", "internal/limit"},
		"bundle/zipfs":             {"internal/limit"},
		"validate/schema":          {"validate", "bundle", "internal/nearest", "internal/jsontype"},
		"validate/script":          nil,
		"validate/shared":          {"bundle/ranges", "internal/nearest"},
		"validate/report":          {"validate", "internal/junit", "internal/nearest", "internal/terminal", "internal/text"},
		"validate/rulebook":        {"validate", "internal/terminal", "internal/text"},
		"validate/fix":             {"validate", "bundle/tree", "bundle", "internal/atomicfile"},
		"build":                    {"internal/limit", "bundle", "validate", "bundle/tree", "internal/atomicfile", "bundle/gitignore", "internal/progress", "bundle/config", "internal/process", "internal/terminal", "internal/text", "internal/wire/handshake", "internal/version"},
		"cmd/internal/verbs":       {"validate/compat", "templates", "validate", "validate/rules", "validate/schema", "validate/report", "validate/rulebook", "validate/fix", "bundle/zipfs", "bundle/config", "validate/baseline", "bundle/tree", "build", "bundle/archive", "bundle/signature", "bundle", "internal/atomicfile", "bundle/gitignore", "internal/nearest", "internal/progress", "internal/limit", "internal/terminal", "cmd/internal/adopt", "internal/process", "bundle/access", "internal/text", "build/provenance", "build/typecheck", "internal/version"},
		"cmd/internal/adopt":       {"bundle", "bundle/config", "bundle/tree", "internal/atomicfile", "bundle/gitignore", "internal/process", "internal/version"},
		"cmd/internal/command":     {"internal/nearest", "internal/terminal", "internal/text", "cmd/internal/verbs"},
		"cmd/internal/serve":       {"cmd/internal/verbs", "host", "host/gate", "host/server", "internal/nearest", "internal/process", "internal/terminal", "loader"},
		"cmd/internal/dev":         {"build", "build/bundler", "build/frontend", "build/typecheck", "bundle", "bundle/access", "bundle/config", "cmd/internal/adopt", "cmd/internal/serve", "cmd/internal/verbs", "host", "host/api", "host/gate", "host/server", "internal/atomicfile", "internal/limit", "internal/nearest", "internal/terminal", "internal/text", "loader", "preview", "preview/check", "sdk/hostapi", "validate", "validate/report"},
		"cmd/internal/program":     {"internal/process", "internal/progress", "internal/version"},
		"cmd/slipway":              {"build", "cmd/internal/command", "cmd/internal/program", "cmd/internal/verbs"},
		"build/frontend":           {"build/bundlerconfig", "build/watchdog", "bundle/config", "bundle/tree", "validate/script", "internal/limit"},
		"build/bundlerconfig":      {"build/watchdog", "bundle/config", "bundle/tree", "internal/limit", "validate", "validate/script"},
		"build/provenance":         {"build", "bundle", "bundle/config", "bundle/zipfs", "internal/limit", "internal/text", "validate", "bundle/tree"},
		"build/packages":           {"bundle/tree", "internal/text", "internal/limit"},
		"build/extensions":         {"build/frontend", "build/watchdog"},
		"build/typecheck":          {"build/packages", "bundle/tree", "internal/atomicfile", "internal/process"},
		"build/watchdog":           nil,
		"build/bundler":            {"build", "bundle", "build/frontend", "build/packages", "build/extensions"},
		"cmd/slipway-bundler":      {"build", "build/bundler"},
		"bundle/signature":         nil,
		"bundle/archive":           {"bundle", "bundle/signature", "bundle/tree", "bundle/zipfs", "internal/atomicfile", "internal/limit"},
		"internal/nearest":         nil,
		"internal/atomicfile":      nil,
		"bundle/gitignore":         {"bundle/tree", "internal/atomicfile"},
		"internal/jsontype":        nil,
		"internal/junit":           {"internal/terminal"},
		"internal/instant":         nil,
		"internal/limit":           nil,
		"internal/terminal":        nil,
		"internal/testkit":         nil,
		"internal/text":            nil,
		"internal/feed":            nil,
		"bundle/config":            {"validate", "bundle/tree", "bundle", "internal/nearest", "internal/jsontype"},
		"internal/bench":           nil,
		"internal/process":         nil,
		"internal/progress":        nil,
		"validate/baseline":        {"validate", "bundle/tree", "internal/limit"},
		"sdk/internal/goplugin":    {"internal/wire", "internal/wire/handshake"},
		"sdk":                      {"sdk/internal/goplugin", "internal/wire", "internal/urlpath", "internal/jsontype", "sdk/frame"},
		"sdk/frame":                nil,
		"sdk/hostapi":              {"sdk"},
		"sdk/sdktest":              {"sdk", "sdk/frame", "sdk/backend"},
		"sdk/backend":              {"sdk", "internal/wire"},
		"sdk/httpclient":           {"sdk"},
		"sdk/metrics":              {"sdk"},
		"sdk/profiling":            {"sdk"},
		"sdk/tracing":              {"sdk"},
		"sdk/renderer":             {"sdk", "internal/wire", "internal/wire/rendererpb"},
		"sdk/secretsmanager":       {"sdk", "internal/wire", "internal/wire/secretspb"},
		"examples/datasource":      {"sdk", "sdk/frame", "sdk/httpclient"},
		"examples/app":             {"sdk", "sdk/hostapi"},
		"examples/renderer":        {"sdk", "sdk/httpclient", "sdk/renderer"},
		"examples/secretsmanager":  {"sdk", "sdk/secretsmanager"},
		"loader":                   {"sdk", "sdk/backend", "internal/wire", "bundle", "bundle/access", "internal/limit", "internal/process", "internal/terminal", "bundle/ranges", "internal/text", "internal/wire/handshake"},
		"loader/watch":             {"bundle"},
		"conformance":              {"bundle", "loader", "internal/nearest", "internal/process", "internal/wire", "sdk/frame", "internal/text", "internal/wire/handshake"},
		"validate/compat":          {"bundle", "bundle/ranges", "validate", "validate/inspect", "validate/rules", "validate/shared"},
		"host/store":               {"host", "host/gate", "sdk/hostapi"},
		"host/builtin":             {"host", "host/gate", "internal/jsontype", "sdk", "sdk/frame"},
		"host/proxy":               {"host", "bundle", "internal/urlpath", "sdk", "sdk/httpclient"},
		"host/live":                {"host", "host/gate", "sdk/backend", "sdk", "internal/wire", "internal/feed"},
		"host/api":                 {"host", "host/gate", "host/provisioning", "host/builtin", "host/live", "host/store", "host/proxy", "bundle", "bundle/access", "internal/limit", "loader", "sdk", "sdk/frame", "sdk/hostapi", "sdk/backend", "internal/instant", "internal/jsontype", "internal/urlpath", "internal/text", "internal/feed"},
		"host/console":             {"bundle/access", "sdk/hostapi", "internal/instant", "internal/text"},
		"host/provisioning":        {"host", "host/gate", "host/store", "sdk/hostapi", "internal/limit", "internal/nearest", "internal/text"},
		"host/server":              {"host", "host/gate", "host/api", "host/console", "host/provisioning", "host/store", "bundle", "bundle/access", "bundle/ranges", "internal/nearest", "loader", "loader/watch", "sdk/hostapi", "internal/atomicfile", "bundle/gitignore", "internal/limit"},
		"preview":                  {"build/frontend", "build/packages", "bundle", "bundle/ranges", "bundle/tree", "internal/atomicfile", "internal/limit", "internal/nearest", "internal/progress", "internal/feed"},
		"preview/check":            {"bundle/config", "bundle/tree", "internal/atomicfile", "internal/junit", "internal/text", "preview"},
		"internal/arch":            nil,
		"internal/e2e":             nil,

		"bundle/signature/signaturetest": {"internal/testkit"},
	}
}

func TestArrows(t *testing.T) {
	t.Parallel()
	allowed := arrows()
	seen := map[string]bool{}
	for _, p := range packages(t) {
		seen[p.path()] = true
		for part := range strings.SplitSeq(p.path(), "/") {
			if slices.Contains([]string{"util", "utils", "common", "helpers", "types", "pkg", "misc"}, part) {
				t.Errorf("%s: name the package after what it contains", p.path())
			}
		}
		if p.path() == "cmd/slipway-host" || strings.HasPrefix(p.path(), "internal/e2e") {
			continue // wires everything
		}
		may, listed := allowed[p.path()]
		if !listed {
			t.Errorf("%s is missing from arrows: add what it may import", p.path())
			continue
		}
		for _, imported := range p.Imports {
			ours, isOurs := strings.CutPrefix(imported, module+"/")
			if isOurs && !slices.Contains(may, ours) {
				t.Errorf("%s imports %s: it may only import %v", p.path(), ours, may)
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(allowed)) {
		if !seen[path] && path != "internal/e2e" {
			t.Errorf("arrows contains %s, which is not a package", path)
		}
	}
}

// TestFolders checks that the folders of the module stand on each other: none imports a
// package of one that imports it, even through others.
func TestFolders(t *testing.T) {
	t.Parallel()
	below := map[string]map[string]bool{}
	for _, p := range packages(t) {
		folder, _, _ := strings.Cut(p.path(), "/")
		for _, imported := range p.Imports {
			if ours, isOurs := strings.CutPrefix(imported, module+"/"); isOurs {
				other, _, _ := strings.Cut(ours, "/")
				if below[folder] == nil {
					below[folder] = map[string]bool{}
				}
				below[folder][other] = other != folder
			}
		}
	}
	const isVisiting, isDone = 1, 2
	state := map[string]int{}
	var visit func(path []string)
	visit = func(path []string) {
		folder := path[len(path)-1]
		switch state[folder] {
		case isVisiting:
			t.Errorf("the folders import each other: %s", strings.Join(path, " -> "))
			return
		case isDone:
			return
		}
		state[folder] = isVisiting
		for other, isOther := range below[folder] {
			if isOther {
				visit(append(slices.Clone(path), other))
			}
		}
		state[folder] = isDone
	}
	for _, folder := range slices.Sorted(maps.Keys(below)) {
		visit([]string{folder})
	}
}

// never lists what must not be imported, and why. imported includes the packages below
// it, except in the standard library. from and except match a package and those below
// it. via extends a rule to indirect imports.
var never = []struct {
	imported string
	from     []string // "" is every package
	except   []string
	via      bool
	why      string
}{
	{"github.com/magefile/mage", []string{""}, nil, false, "only targets, which is another module, and magefile.go use Mage"},
	{module + "/targets", []string{""}, nil, true, "go install must find this module without a replace directive, and targets is built with each plugin"},
	{"github.com/hashicorp/go-plugin", []string{""}, []string{"loader"}, false, "only the host's end of the protocol needs it"},
	{"github.com/hashicorp/go-plugin", []string{"sdk"}, nil, true, "plugins must not depend on what they do not use"},
	{module + "/loader", []string{"bundle", "validate", "build", "templates", "cmd/internal/verbs", "cmd/slipway"}, nil, true,
		"the first slipway validate must not compile a host: that is slipway-host"},
	{module + "/host", []string{"bundle", "validate", "build", "templates", "cmd/internal/verbs", "cmd/slipway"}, nil, true,
		"the first slipway validate must not compile a SQL engine: that is slipway-host"},
	{"modernc.org/sqlite", []string{"bundle", "validate", "build", "templates", "cmd/internal/verbs", "cmd/slipway", "sdk", "loader"}, nil, true,
		"only the host needs a SQL engine"},
	{"github.com/evanw/esbuild", []string{"bundle", "validate", "templates", "cmd/internal/verbs", "cmd/slipway"}, nil, true,
		"the first slipway validate must not compile a bundler: that is slipway-bundler"},
	{module + "/preview", []string{"bundle", "validate", "build", "templates", "cmd/internal/verbs", "cmd/slipway", "sdk", "loader", "host"}, nil, true,
		"only slipway-host shows frontends, on an origin that is not the host's"},
	{module + "/conformance", []string{"bundle", "validate", "build", "templates", "cmd/internal/verbs", "cmd/slipway", "sdk", "loader", "host"}, nil, true,
		"only slipway-host checks plugins"},
	{module + "/validate", []string{"sdk"}, nil, true, "plugins must not depend on what they do not use"},
	{module + "/build", []string{"sdk"}, nil, true, "plugins must not depend on what they do not use"},
	{module + "/loader", []string{"sdk"}, nil, true, "plugins must not depend on what they do not use"},
	{module + "/host", []string{"sdk"}, nil, true, "plugins must not depend on what they do not use"},
	{"github.com/ProtonMail/go-crypto", []string{""}, []string{"bundle/signature"}, false, "bundle/signature reads what Grafana signs"},
	{"github.com/ProtonMail/go-crypto", []string{"sdk", "loader", "conformance"}, nil, true, "plugins and hosts must not depend on what they do not use"},
	{"github.com/apache/arrow-go", []string{""}, nil, true, "sdk/frame reads and writes Arrow files"},
	{"github.com/grafana/grafana-plugin-sdk-go/data", []string{""}, nil, true, "sdk/frame replaces it"},
	{"github.com/grafana/grafana-plugin-sdk-go/backend", []string{""}, nil, true, "Slipway's SDK replaces it"},
	{"go.opentelemetry.io", []string{"sdk"}, []string{"sdk/tracing"}, true, "plugins must not depend on what they do not use"},
	{"github.com/prometheus", []string{"sdk"}, []string{"sdk/metrics"}, true, "plugins must not depend on what they do not use"},
	{"database/sql", []string{""}, []string{"host/store"}, false, "only host/store may use SQL"},
	{"net/http", []string{"host"}, []string{"host/api", "host/builtin", "host/console", "host/gate", "host/live", "host/proxy", "host/server"}, false, "the host's types and their storage must not depend on HTTP"},
	{"github.com/santhosh-tekuri/jsonschema/v5/httploader", []string{""}, nil, true, "validate works offline"},
	{"log", []string{""}, nil, false, "use a log/slog logger that is passed in"},
	{"golang.org/x/mod/semver", []string{""}, nil, false, "use github.com/Masterminds/semver/v3, which has the type of every version"},
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
