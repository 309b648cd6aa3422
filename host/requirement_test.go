package host_test

import (
	"errors"
	"testing"

	"github.com/slipway-dev/slipway/host"
)

func TestRequirement(t *testing.T) {
	t.Parallel()
	const scope = "datasources:uid:a"
	as := func(role host.Role, grants ...host.Grant) host.Identity {
		return host.Identity{Kind: host.KindUser, Role: role, Grants: grants}
	}
	action := func(name string) host.Requirement {
		return host.Requirement{PluginID: "acme-app", Action: name, Scope: scope}
	}
	read := func(on string) host.Grant { return host.Grant{Action: "acme-app:read", Scope: on} }
	nobody := host.Identity{Role: host.RoleAdmin} // a role without an identity
	for _, c := range []struct {
		name string
		asks host.Requirement
		who  host.Identity
		want error
	}{
		{"nothing", host.Requirement{}, host.Identity{}, nil},
		{"signed in", host.Requirement{IsSignedIn: true}, as(host.RoleNone), nil},
		{"signed in, nobody", host.Requirement{IsSignedIn: true}, nobody, host.ErrUnauthorized},
		{"role, nobody", host.Requirement{Role: "Viewer"}, nobody, host.ErrUnauthorized},
		{"action, nobody", action("datasources:query"), nobody, host.ErrUnauthorized},
		{"the role", host.Requirement{Role: "Editor"}, as(host.RoleEditor), nil},
		{"a stronger role", host.Requirement{Role: "Editor"}, as(host.RoleAdmin), nil},
		{"a weaker role", host.Requirement{Role: "Editor"}, as(host.RoleViewer), host.ErrForbidden},
		{"no role", host.Requirement{Role: "Viewer"}, as(host.RoleNone), host.ErrForbidden},
		{"unknown role", host.Requirement{Role: "Anyone"}, as(host.RoleAdmin), host.ErrForbidden},
		{"role in another case", host.Requirement{Role: "viewer"}, as(host.RoleAdmin), host.ErrForbidden},
		{"role None", host.Requirement{Role: "None"}, as(host.RoleAdmin), host.ErrForbidden},
		{"a basic role's action", action("datasources:query"), as(host.RoleViewer), nil},
		{"a plugin's action, admin", action("acme-app:read"), as(host.RoleAdmin), host.ErrForbidden},
		{"a plugin's action, granted", action("acme-app:read"), as(host.RoleNone, read(scope)), nil},
		{"granted on all", action("acme-app:read"), as(host.RoleNone, read("datasources:*")), nil},
		{"granted without scope", action("acme-app:read"), as(host.RoleNone, read("")), nil},
		{"granted on another", action("acme-app:read"), as(host.RoleAdmin, read("datasources:uid:b")), host.ErrForbidden},
		{"another action", action("acme-app:write"), as(host.RoleAdmin, read("")), host.ErrForbidden},
		{"an action on nothing", host.Requirement{Action: "datasources:query"}, as(host.RoleAdmin), host.ErrForbidden},
		{"an id that is a word of the host", host.Requirement{PluginID: "playlists", Action: "playlists:read", Scope: "x"}, as(host.RoleAdmin), host.ErrForbidden},
		{"role but not action", host.Requirement{Role: "Viewer", PluginID: "acme-app", Action: "acme-app:read", Scope: scope}, as(host.RoleAdmin), host.ErrForbidden},
		{"action but not role", host.Requirement{Role: "Admin", PluginID: "acme-app", Action: "acme-app:read", Scope: scope}, as(host.RoleViewer, read("")), host.ErrForbidden},
		{"both", host.Requirement{Role: "Viewer", PluginID: "acme-app", Action: "acme-app:read", Scope: scope}, as(host.RoleViewer, read("")), nil},
	} {
		if err := c.asks.Check(c.who); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}
