package host_test

import (
	"errors"
	"strings"
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

// What a message quotes ends with a whole character.
func TestQuote(t *testing.T) {
	t.Parallel()
	if _, err := host.ParseRole("a" + strings.Repeat("ä", 30)); strings.Contains(err.Error(), `\x`) {
		t.Error(err)
	}
}
