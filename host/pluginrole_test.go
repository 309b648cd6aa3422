package host

import (
	"errors"
	"testing"
)

func TestPluginRole(t *testing.T) {
	t.Parallel()
	for action, ok := range map[string]bool{
		"acme-app:read": true, "acme-app.teams:read": true, "acme-app2:read": false, "acme-app": false, "playlists:read": false, "": false,
	} {
		r := PluginRole{PluginID: "acme-app", Name: "Reader", Permissions: []Grant{{Action: action}}}
		if err := r.Check(); (err == nil) != ok || !ok && !errors.Is(err, ErrInvalid) {
			t.Errorf("%q: %v", action, err)
		}
	}
	// A plugin whose id is a resource of the host gets no actions on that resource.
	if err := (PluginRole{PluginID: "serviceaccounts", Name: "R", Permissions: []Grant{{Action: "serviceaccounts:create"}}}).Check(); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
	if err := (PluginRole{PluginID: "a", Name: "R", GrantedTo: []string{"Owner"}}).Check(); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
	role := func(to ...string) PluginRole { return PluginRole{PluginID: "a", Name: "R", GrantedTo: to} }
	for _, c := range []struct {
		role PluginRole
		who  Identity
		want bool
	}{
		{role("Editor"), Identity{Role: RoleViewer}, false},
		{role("Editor"), Identity{Role: RoleEditor}, true},
		{role("Editor"), Identity{Role: RoleAdmin}, true},
		{role(serviceAdmin), Identity{Role: RoleAdmin}, false},
		{role(serviceAdmin), Identity{Role: RoleAdmin, IsServiceAdmin: true}, true},
		{role(), Identity{Role: RoleAdmin, IsServiceAdmin: true}, false},
		{role("Viewer"), Identity{}, false},
	} {
		if got := c.role.IsHeldBy(c.who); got != c.want {
			t.Errorf("%v held by %+v: %v", c.role.GrantedTo, c.who, got)
		}
	}
}
