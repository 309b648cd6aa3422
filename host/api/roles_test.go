package api_test

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host/api"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/loader"
)

// withMounted returns a fixture with a mounted plugin that has no backend.
func withMounted(t *testing.T, metadata string, o loader.Options) *fixture {
	t.Helper()
	f := newFixture(t)
	dir := t.TempDir()
	testkit.WriteFile(t, filepath.Join(dir, bundle.MetadataFile), metadata)
	o.Dirs = []string{dir}
	f.mount(t, o)
	return f
}

// mount replaces the API of the fixture with one that has the plugins in directories.
func (f *fixture) mount(t *testing.T, o loader.Options) {
	t.Helper()
	l := testkit.Must(loader.New(o))(t)
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	testkit.OK(t, l.Reload(t.Context()))
	f.API = testkit.Must(api.New(api.Options{Store: f.store, Logger: slog.New(slog.NewTextHandler(f.log, nil)), Clock: f.clock, Plugins: l, AllowedHosts: []string{"example.com"}}))(t)
}

const withRoles = `{"id":"acme-roles-app","type":"app","name":"Roles","info":{"version":"1.0.0"},"enterpriseFeatures":{"healthDiagnosticsErrors":true,"other":1},"includes":[
	{"type":"page","name":"all","path":"/a","icon":"bell","component":"AllCtrl"},{"type":"page","name":"edit","role":"Editor"},{"type":"page","name":"boss","role":"Boss"},
	{"type":"page","name":"own","action":"acme-roles-app:own"}],"roles":[
	{"role":{"name":"Reader","description":"reads","permissions":[{"action":"acme-roles-app:read","scope":"teams:1"}]},"grant":["Viewer"]},
	{"role":{"name":"Writer","permissions":[{"action":"acme-roles-app:write"}]},"grant":["Editor"]},
	{"role":{"name":"Owner","permissions":[{"action":"acme-roles-app:own"}]},"grant":["Service Admin"]},
	{"role":{"name":"Thief","permissions":[{"action":"playlists:write"}]},"grant":["Viewer"]}]}`

func TestPluginRoles(t *testing.T) {
	t.Parallel()
	f := withMounted(t, withRoles, loader.Options{HostVersion: "9.4.0", Toggles: []string{loader.ToggleRoles}})
	f.ensureAdmin(t)
	held := func(authorization string) string {
		all := want[map[string][]string](t, f, 200, "GET", "/api/access-control/user/permissions", authorization, "")
		held := ""
		for _, action := range []string{"playlists:write", "acme-roles-app:read", "acme-roles-app:write", "acme-roles-app:own"} {
			if scopes, ok := all[action]; ok {
				held += strings.TrimPrefix(action, "acme-roles-app:") + fmt.Sprint(scopes)
			}
		}
		return held
	}
	for _, c := range []struct{ who, authorization, held string }{
		{"viewer", f.viewer, "read[teams:1]"},
		{"editor", f.editor, "playlists:write[*]read[teams:1]write[*]"},
		{"admin account", f.admin, "playlists:write[*]read[teams:1]write[*]"},
		{"service admin", basic("admin", adminPassword), "playlists:write[*]read[teams:1]write[*]own[*]"},
		{"plugin", f.plugin, ""},
	} {
		if got := held(c.authorization); got != c.held {
			t.Errorf("permissions of %s: %s, want %s", c.who, got, c.held)
		}
	}
	roles := want[[]object](t, f, 200, "GET", "/api/access-control/roles", f.admin, "")
	if len(roles) != 3 || roles[0]["name"] != "plugins:acme-roles-app:Reader" {
		t.Errorf("roles %v", roles)
	}
	if !strings.Contains(f.log.String(), `role=Thief`) {
		t.Error("the role that reaches beyond its plugin was not logged")
	}
	problems := want[[]object](t, f, 200, "GET", "/api/plugins/errors", f.admin, "")
	refused := slices.DeleteFunc(problems, func(p object) bool { return p["errorCode"] != "role-refused" })
	if len(refused) != 1 || refused[0]["pluginId"] != "acme-roles-app" || !strings.Contains(refused[0]["reason"].(string), `"Thief"`) {
		t.Errorf("refused roles in the errors of plugins: %v", refused)
	}
}

// Plugin roles require the service version and the feature toggle.
func TestPluginRolesAreOff(t *testing.T) {
	t.Parallel()
	for _, o := range []loader.Options{
		{HostVersion: "9.3.9", Toggles: []string{loader.ToggleRoles}}, {HostVersion: "9.4.0"},
	} {
		f := withMounted(t, withRoles, o)
		if roles := want[[]object](t, f, 200, "GET", "/api/access-control/roles", f.admin, ""); len(roles) != 0 {
			t.Errorf("%s %v: %v", o.HostVersion, o.Toggles, roles)
		}
	}
}
