package compat

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/slipway-dev/slipway/bundle"
)

// hosts describes the hosts of the tests.
func hosts() Options {
	return Options{
		Platform: bundle.Platform{OS: "linux", Arch: "amd64"}, Version: "10.3.0", VersionOption: "-serviceVersion", Existing: "12.1.0",
		Routes:    []string{"/api/plugins/{id}/settings", "/api/datasources/uid/{uid}/resources/{path...}", "/api/user", "/metrics", "/api/playlists/{uid}/dashboards", "/api/playlists/{uid}", "/api/serviceaccounts/migrate/{keyId}"},
		Variables: []string{"GF_APP_URL", "SVC_APP_URL"},
		IsShared:  func(module string) bool { return module == "react" || strings.HasPrefix(module, "@grafana/") },
	}
}

// tree returns a tree of files, in which <backend> stands for the keys of a plugin without a frontend.
func tree(files map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, text := range files {
		text = strings.ReplaceAll(text, "<backend>", `"id":"acme-x-renderer","type":"renderer","backend":true,"executable":"plugin_start"`)
		out[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o755}
	}
	return out
}

const (
	both    = `{<backend>,"dependencies":{"serviceDependency":">=10.3.0","grafanaDependency":">=10.3.0"}}`
	panel   = `{"id":"acme-x-panel","type":"panel","dependencies":{"grafanaDependency":"*"}}`
	named   = `{"id":"acme-x-renderer","type":"renderer","backend":true,"executable":"gpx_x","dependencies":{"serviceDependency":"*","grafanaDependency":"*"}}`
	vault   = `{"id":"acme-x-secretsmanager","type":"secretsmanager","backend":true,"executable":"secrets_plugin_start","dependencies":{"serviceDependency":"*","grafanaDependency":"*"}}`
	program = "#!/bin/sh\n# grafana_plugin_type"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		files map[string]string
		rows  []string // of the first plugin that are not yes: aspect, here, existing and what was found
		runs  Runs
		help  string // in one of these rows
	}{
		{
			"both", map[string]string{"plugin.json": both, "plugin_start_linux_amd64": program}, nil, Runs{Yes, Yes}, "",
		},
		{
			"a renderer with a name of its own", map[string]string{"plugin.json": named, "gpx_x_linux_amd64": program},
			[]string{"type yes no renderer"}, Runs{Yes, No}, `write "executable": "plugin_start" and build it again`,
		},
		{
			"a secrets manager", map[string]string{"plugin.json": vault, "secrets_plugin_start_linux_amd64": program},
			[]string{"type yes no secretsmanager"}, Runs{Yes, No}, "from version 12 on do not have this type",
		},
		{
			"a dist next to sources", map[string]string{"src/plugin.json": `{}`, "dist/plugin.json": both, "dist/plugin_start_linux_amd64": program, "pkg/main.go": `os.Getenv("GF_APP_URL")`},
			nil, Runs{Yes, Yes}, "",
		},
		{
			"service only", map[string]string{"plugin.json": `{<backend>,"dependencies":{"serviceDependency":"^10"}}`, "plugin_start_linux_amd64": program},
			[]string{"profile yes partly service"}, Runs{Yes, Partly}, "add dependencies.grafanaDependency",
		},
		{
			"no dependencies", map[string]string{"plugin.json": `{<backend>}`, "plugin_start_linux_amd64": program},
			[]string{"profile partly partly neither"}, Runs{Partly, Partly}, "add dependencies.grafanaDependency",
		},
		{
			"a newer host", map[string]string{"plugin.json": `{<backend>,"dependencies":{"grafanaDependency":">=11.6.0"}}`, "plugin_start_linux_amd64": program},
			[]string{"grafanaDependency partly yes >=11.6.0"}, Runs{Partly, Yes}, "this host has version 10.3.0: it runs the plugin and reports the difference; set -serviceVersion to a version within the range",
		},
		{
			"an older host", map[string]string{"plugin.json": `{<backend>,"dependencies":{"grafanaDependency":"<12"}}`, "plugin_start_linux_amd64": program},
			[]string{"grafanaDependency yes partly <12"}, Runs{Yes, Partly}, "the existing host has version 12.1.0: it does not install the plugin from its catalog, but runs it",
		},
		{
			"no host", map[string]string{"plugin.json": `{<backend>,"dependencies":{"grafanaDependency":">2 <1"}}`, "plugin_start_linux_amd64": program},
			[]string{"grafanaDependency partly partly >2 <1"}, Runs{Partly, Partly}, "such as >=10.3.0",
		},
		{
			"another plugin", map[string]string{"plugin.json": strings.Replace(both, `"dependencies":{`, `"dependencies":{"plugins":[{"id":"acme-y-app","version":"1.x"}],`, 1), "plugin_start_linux_amd64": program},
			[]string{"plugin partly partly acme-y-app 1.x"}, Runs{Partly, Partly}, "install it",
		},
		{
			"not built", map[string]string{"src/plugin.json": both, "pkg/main.go": "os.Getenv(\"GF_PLUGIN_MODE\")", "pkg/main_test.go": `"GF_TEST"`, "node_modules/x/x.go": `"GF_TOOL"`},
			[]string{"executable unknown unknown not built", "variables partly partly GF_PLUGIN_MODE"}, Runs{Unknown, Unknown}, "build the plugin first",
		},
		{
			"another platform", map[string]string{"plugin.json": both, "plugin_start_darwin_arm64": program, "gpx_y_linux_amd64": program},
			[]string{"platforms no no darwin/arm64"}, Runs{No, No}, "plugin_start_linux_amd64 not found",
		},
		{
			"no executable", map[string]string{"plugin.json": both}, []string{"platforms no no no executable"}, Runs{No, No}, "",
		},
		{
			"no cookie", map[string]string{"plugin.json": both, "plugin_start_linux_amd64": "#!/bin/sh"},
			[]string{"protocol unknown unknown unknown SDK"}, Runs{Unknown, Unknown}, "does not contain the magic cookie grafana_plugin_type: build it with an SDK, or start it to find out",
		},
		{
			"a cookie between two windows", map[string]string{"plugin.json": both, "plugin_start_linux_amd64": strings.Repeat("x", 1<<20-4) + "grafana_plugin_type"},
			nil, Runs{Yes, Yes}, "",
		},
		{
			"variables", map[string]string{"plugin.json": both, "plugin_start_linux_amd64": program, "main.go": `os.Getenv("GF_URL")`},
			[]string{"variables partly partly GF_URL"}, Runs{Partly, Partly}, "hosts do not set these: check that the backend works without them, or set those that begin with GF_PLUGIN_ in the plugin's settings",
		},
		{
			"a backend that changes playlists", map[string]string{"plugin.json": strings.Replace(both, `{`, `{"iam":{"permissions":[{"action":"playlists:read"},{"action":"playlists:write"}]},`, 1), "plugin_start_linux_amd64": program},
			[]string{"permissions yes partly playlists:read, playlists:write"}, Runs{Yes, Partly}, "only editors change playlists",
		},
		{
			"permissions that one of the hosts lacks", map[string]string{"plugin.json": strings.Replace(both, `{`, `{"iam":{"permissions":[{"action":"apikeys:read"},{"action":"teams:read"},{"action":"acme-x-renderer.jobs:read"}]},`, 1), "plugin_start_linux_amd64": program},
			[]string{"permissions partly partly apikeys:read, teams:read, acme-x-renderer.jobs:read"}, Runs{Partly, Partly}, "this host does not have teams:read, which",
		},
		{
			"routes that are gone", map[string]string{
				"plugin.json": both, "plugin_start_linux_amd64": program,
				"a.go": "import \"github.com/slipway-dev/slipway/sdk/hostapi\"\nh.PlaylistDashboards(ctx, uid)", "b.go": `get("/api/auth/keys", "/api/search", "/api/teams/1")`,
				"c.go": "own.PlaylistDashboards(ctx)",
			},
			[]string{"routes yes partly hostapi.PlaylistDashboards", "routes yes partly /api/auth/keys"}, Runs{Yes, Partly}, "existing hosts of versions >=12.1.0 do not serve it: create service accounts",
		},
		{
			"a frontend that asks for them", map[string]string{"plugin.json": panel, "module.js": "f(`/api/playlists/${u}/dashboards`);f(`/api/playlists/${u}/`);f('/api/serviceaccounts/migrate/'+1)"},
			[]string{"frontend partly yes module.js", "routes yes partly /api/playlists/{}/dashboards", "routes yes partly /api/serviceaccounts/migrate/"}, Runs{Partly, Partly}, "read the items of the playlist",
		},
		{
			"frontend", map[string]string{
				"plugin.json":        panel,
				"module.js":          "define([\"react\",\"@grafana/data\",\"moment\",\"module\"],function(a){f(`/api/plugins/${a.id}/settings`);f(\"api/plugins/\".concat(x));f('/api/library-elements/'+1);f(\"/api/v1/query\");f(`/api/datasources/uid/${u}/resources/a/b`);f(\"/api/user/teams\")})",
				"1.js":               `f("/api/teams/search?x")`,
				"nested/plugin.json": `{"id":"acme-y-panel","type":"panel"}`, "nested/module.js": `f("/api/annotations")`,
			},
			[]string{
				"frontend partly yes module.js", "routes partly yes /api/library-elements/, /api/teams/search, /api/user/teams", "libraries partly partly moment",
			}, Runs{Partly, Partly}, "does not serve them",
		},
		{
			"no frontend", map[string]string{
				"plugin.json":              `{"id":"acme-x-datasource","type":"datasource","backend":true,"executable":"plugin_start","dependencies":{"grafanaDependency":"*"}}`,
				"plugin_start_linux_amd64": program,
			},
			[]string{"frontend partly no no module.js"}, Runs{Partly, No}, "build the whole plugin",
		},
		{
			"group of plugins", map[string]string{
				"plugin.json":   `{"id":"acme-x-app","type":"app","dependencies":{"grafanaDependency":">=10.3.0"}}`,
				"a/plugin.json": panel, "a/module.js": `define([],function(){})`,
			},
			nil, Runs{Yes, Yes}, "",
		},
		{
			"modules of the host", map[string]string{"plugin.json": panel, "module.js": `define(["app/core/config"],function(){})`},
			[]string{"frontend partly yes module.js", "libraries partly partly app/core/config"}, Runs{Partly, Partly}, "@grafana",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			reports, err := Check(tree(c.files), hosts())
			if err != nil {
				t.Fatal(err)
			}
			var rows, help []string
			for _, row := range reports[0].Rows {
				if row.Here != Yes || row.Existing != Yes {
					rows, help = append(rows, fmt.Sprintf("%s %s %s %s", row.Aspect, row.Here, row.Existing, row.Found)), append(help, row.Help)
					if row.Help == "" {
						t.Errorf("%s has no help", row.Aspect)
					}
				}
			}
			if diff := cmp.Diff(c.rows, rows, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if reports[0].Runs != c.runs || !strings.Contains(strings.Join(help, "\n"), c.help) {
				t.Errorf("runs %v, want %v; help is %q, want a string containing %q", reports[0].Runs, c.runs, help, c.help)
			}
		})
	}
}

func TestAngular(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]Verdict{"": Partly, "10.4.2": Yes, "11.6.0": Partly, "12.0.0": No} {
		for _, module := range []string{"angular", "app/plugins/sdk"} {
			o := hosts()
			o.Existing, o.IsShared = version, func(string) bool { return true }
			reports, err := Check(tree(map[string]string{"plugin.json": panel, "module.js": `define(["` + module + `"],function(){})`}), o)
			if err != nil || reports[0].Runs != (Runs{Partly, want}) {
				t.Errorf("%s in version %q: %+v, %v", module, version, reports, err)
			}
		}
	}
}

// The row names both switches that give a plugin its token.
func TestPermissions(t *testing.T) {
	t.Parallel()
	text := strings.Replace(both, `{`, `{"iam":{"permissions":[{"action":"dashboards:read"}]},`, 1)
	reports, err := Check(tree(map[string]string{"plugin.json": text, "plugin_start_linux_amd64": program}), hosts())
	if err != nil || reports[0].Runs != (Runs{Yes, Yes}) {
		t.Fatalf("%+v, %v", reports, err)
	}
	at := slices.IndexFunc(reports[0].Rows, func(r Row) bool { return r.Aspect == "permissions" })
	if at < 0 || !strings.Contains(reports[0].Rows[at].Help, "feature toggle externalServiceAccounts") || !strings.Contains(reports[0].Rows[at].Help, "managed_service_accounts_enabled = true") {
		t.Errorf("%+v", reports[0].Rows)
	}
}

// A route is only missing in versions without it.
func TestGoneRoutes(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]Verdict{"": Partly, "10.1.5": Yes, "10.2.0": Partly, "12.4.0": Partly} {
		o := hosts()
		o.Existing = version
		if rows := goneRows([]string{"hostapi.PlaylistDashboards"}, o); len(rows) > 0 != (want == Partly) {
			t.Errorf("version %q: %+v", version, rows)
		}
	}
}

func TestNestedPlugins(t *testing.T) {
	t.Parallel()
	reports, err := Check(tree(map[string]string{
		"plugin.json": `{"id":"acme-a-app"}`, "datasource/plugin.json": `{<backend>}`, "datasource/plugin_start_linux_amd64": program, "node_modules/z/plugin.json": `{"id":"z"}`,
	}), hosts())
	if err != nil || len(reports) != 2 || reports[1].Path != "datasource/plugin.json" || reports[1].Runs != (Runs{Yes, Yes}) {
		t.Errorf("%+v, %v", reports, err)
	}
}

// TestSeveralPlugins requires that no plugin is reported to use the variables of another.
func TestSeveralPlugins(t *testing.T) {
	t.Parallel()
	reports, err := Check(tree(map[string]string{
		"a/plugin.json": both, "a/plugin_start_linux_amd64": program, "a/main.go": `os.Getenv("GF_PLUGIN_A")`,
		"b/plugin.json": both, "b/plugin_start_linux_amd64": program, "b/main.go": `os.Getenv("GF_APP_URL")`,
	}), hosts())
	if err != nil || len(reports) != 2 || reports[0].Runs != (Runs{Partly, Partly}) || reports[1].Runs != (Runs{Yes, Yes}) {
		t.Errorf("%+v, %v", reports, err)
	}
}

// Existing hosts before 12 have secrets managers, and start them by a name of their own.
func TestSecretsManagerInOlderHosts(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]Verdict{"": Partly, "11.6.0": Yes, "12.0.0": No} {
		o := hosts()
		o.Existing = version
		reports, err := Check(tree(map[string]string{"plugin.json": vault, "secrets_plugin_start_linux_amd64": program}), o)
		if err != nil || reports[0].Runs != (Runs{Yes, want}) {
			t.Errorf("%q: %+v, %v", version, reports, err)
		}
		named := tree(map[string]string{"plugin.json": strings.Replace(vault, "secrets_plugin_start", "gpx_x", 1), "gpx_x_linux_amd64": program})
		if reports, err = Check(named, o); err != nil || reports[0].Runs != (Runs{Yes, No}) {
			t.Errorf("%q, with a name of its own: %+v, %v", version, reports, err)
		}
	}
}

func TestStarted(t *testing.T) {
	t.Parallel()
	files := tree(map[string]string{"plugin.json": both, "plugin_start_linux_amd64": "#!/bin/sh"})
	for want, result := range map[Verdict]error{Yes: nil, No: errors.New("it exited before the handshake")} {
		o := hosts()
		o.Start = func(string) error { return result }
		reports, err := Check(files, o)
		if err != nil || reports[0].Runs != (Runs{want, want}) {
			t.Errorf("%v: %+v, %v", result, reports, err)
		}
	}
}

// TestBounds requires that what is too large is reported and not read.
func TestBounds(t *testing.T) {
	t.Parallel()
	if _, err := Check(fstest.MapFS{}, hosts()); err == nil || !strings.HasPrefix(err.Error(), "no plugin.json found: ") {
		t.Errorf("an empty directory: %v", err)
	}
	large := tree(map[string]string{"plugin.json": strings.Repeat(" ", maxMetadata) + both})
	if _, err := Check(large, hosts()); err == nil || !strings.Contains(err.Error(), "larger than 1 MiB") {
		t.Errorf("a large plugin.json: %v", err)
	}
	many := tree(map[string]string{"plugin.json": both})
	for n := range maxFiles {
		many[fmt.Sprintf("%d", n)] = &fstest.MapFile{}
	}
	if _, err := Check(many, hosts()); err == nil || !strings.Contains(err.Error(), "more than 20000 files") {
		t.Errorf("many files: %v", err)
	}
	script := tree(map[string]string{"plugin.json": `{"id":"acme-x-panel","type":"panel"}`, "module.js": strings.Repeat("x", maxScript+1)})
	reports, err := Check(script, hosts())
	if err != nil || reports[0].Runs != (Runs{Unknown, Unknown}) {
		t.Errorf("a large module.js: %+v, %v", reports, err)
	}
	source := tree(map[string]string{"src/plugin.json": both, "pkg/main.go": strings.Repeat("x", maxSource+1)})
	reports, err = Check(source, hosts())
	if err != nil || reports[0].Rows[len(reports[0].Rows)-1] != unreadRow() {
		t.Errorf("a large source file: %+v, %v", reports, err)
	}
}
