package host_test

import (
	"errors"
	"testing"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
)

func TestAllows(t *testing.T) {
	t.Parallel()
	with := func(scope string) host.Identity {
		return host.Identity{Grants: []host.Grant{{Action: "playlists:read", Scope: scope}}}
	}
	for _, c := range []struct {
		name          string
		who           host.Identity
		action, scope string
		want          bool
	}{
		{"viewer reads", host.Identity{Role: host.RoleViewer}, "playlists:read", "playlists:uid:a", true},
		{"viewer does not write", host.Identity{Role: host.RoleViewer}, "playlists:write", "playlists:uid:a", false},
		{"editor creates keys", host.Identity{Role: host.RoleEditor}, "apikeys:create", "", true},
		{"editor does not create accounts", host.Identity{Role: host.RoleEditor}, "serviceaccounts:create", "", false},
		{"action of a plugin", host.Identity{Role: host.RoleAdmin}, "my-app:read", "", false},
		{"none", host.Identity{}, "playlists:read", "", false},
		{"grant without scope", with(""), "playlists:read", "playlists:uid:a", true},
		{"grant on all", with("*"), "playlists:read", "playlists:uid:a", true},
		{"grant on the kind", with("playlists:*"), "playlists:read", "playlists:uid:a", true},
		{"grant on uids", with("playlists:uid:*"), "playlists:read", "playlists:uid:*", true},
		{"grant on one", with("playlists:uid:a"), "playlists:read", "playlists:uid:a", true},
		{"grant on another", with("playlists:uid:a"), "playlists:read", "playlists:uid:ab", false},
		{"grant on one does not list", with("playlists:uid:a"), "playlists:read", "playlists:uid:*", false},
		{"grant on another kind", with("folders:*"), "playlists:read", "playlists:uid:a", false},
		{"wildcard inside a word", with("playlists:uid:a*"), "playlists:read", "playlists:uid:ab", false},
		{"on anything", with("playlists:uid:a"), "playlists:read", "", true},
		{"another action", with("*"), "playlists:write", "", false},
	} {
		if got := c.who.Allows(c.action, c.scope); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// A dashboard inherits the permissions of its folder.
func TestInheritedScopes(t *testing.T) {
	t.Parallel()
	inOps, general := host.DashboardScopes("a", "ops"), host.DashboardScopes("b", "")
	for _, c := range []struct {
		scope              string
		ofInOps, ofGeneral bool
	}{
		{"*", true, true}, {"", true, true}, {"folders:*", true, true}, {"folders:uid:*", true, true},
		{"dashboards:*", true, true}, {"dashboards:uid:*", true, true},
		{"folders:uid:ops", true, false}, {"folders:uid:op", false, false}, {"folders:uid:general", false, true},
		{"dashboards:uid:a", true, false}, {"dashboards:uid:b", false, true}, {"datasources:uid:*", false, false},
	} {
		who := host.Identity{Grants: []host.Grant{{Action: "dashboards:read", Scope: c.scope}}}
		if inside, outside := who.Allows("dashboards:read", inOps...), who.Allows("dashboards:read", general...); inside != c.ofInOps || outside != c.ofGeneral {
			t.Errorf("%q: in the folder %v, outside of it %v", c.scope, inside, outside)
		}
		reach := who.Reach("dashboards:read", "dashboards:uid:", "folders:uid:")
		if reach.IsAll != (c.ofInOps && c.ofGeneral) {
			t.Errorf("%q: reach %+v", c.scope, reach)
		}
	}
}

func TestMaySaveDashboard(t *testing.T) {
	t.Parallel()
	ops, dev := host.Dashboard{UID: "a", FolderUID: "ops"}, host.Dashboard{UID: "a", FolderUID: "dev"}
	for _, c := range []struct {
		action, scope      string
		create, save, move bool // in ops, in ops, from ops to dev
	}{
		{"dashboards:write", "folders:uid:ops", true, true, false},
		{"dashboards:write", "folders:uid:dev", false, false, false},
		{"dashboards:create", "folders:uid:ops", true, false, false},
		{"dashboards:write", "dashboards:uid:a", false, true, false},
		{"dashboards:write", "folders:*", true, true, true},
		{"dashboards:read", "*", false, false, false},
	} {
		who := host.Identity{Grants: []host.Grant{{Action: c.action, Scope: c.scope}}}
		create, save, move := who.MaySaveDashboard(nil, ops), who.MaySaveDashboard(&ops, ops), who.MaySaveDashboard(&ops, dev)
		if (create == nil) != c.create || (save == nil) != c.save || (move == nil) != c.move {
			t.Errorf("%s on %s: create %v, save %v, move %v", c.action, c.scope, create, save, move)
		}
	}
}

func TestLogins(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"My App": "sa-my-app", "  a--b  ": "sa-a-b", "Grüße": "sa-grüße", "!!!": "sa-e84c538e",
	} {
		if got := host.AccountLogin(name); got != want {
			t.Errorf("AccountLogin(%q) = %q, want %q", name, got, want)
		}
	}
	if got := host.PluginLogin("acme-demo-app"); got != "extsvc-acme-demo-app" {
		t.Errorf("PluginLogin = %q", got)
	}
	err := host.ServiceAccount{Name: "ExtSvc-x", Role: host.RoleViewer}.Check()
	if !errors.Is(err, host.ErrInvalid) {
		t.Errorf("a user may use the prefix of plugins: %v", err)
	}
}

func TestCheckGrants(t *testing.T) {
	t.Parallel()
	if err := host.CheckGrants([]host.Grant{{Action: "playlists:read"}, {Action: "plugins.app:access", Scope: "plugins:id:x"}}); err != nil {
		t.Error(err)
	}
	if err := host.CheckGrants(make([]host.Grant, gate.MaxGrants+1)); !errors.Is(err, host.ErrInvalid) {
		t.Errorf("too many permissions: %v", err)
	}
	for _, action := range []string{"", "read", "*", "playlists:*", "a b:c", "a:\x00"} {
		if err := host.CheckGrants([]host.Grant{{Action: action}}); !errors.Is(err, host.ErrInvalid) {
			t.Errorf("action %q: %v", action, err)
		}
	}
}
