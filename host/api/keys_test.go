package api_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// pluginWith returns the credential of a plugin with grants.
func (f *fixture) pluginWith(id string, grants ...host.Grant) string {
	f.t.Helper()
	token, err := f.store.ReconcilePluginAccount(f.t.Context(), org, id, "test", grants)
	if err != nil {
		f.t.Fatal(err)
	}
	return "Bearer " + token.Secret()
}

// The writer permission is enough to create and migrate keys, but a key can do no more
// than the plugin that created it, and ends with it.
func TestPluginKeys(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	read := host.Grant{Action: access.PlaylistsRead, Scope: "playlists:*"}
	create := func(by, name, role string, status int) (int64, string) {
		t.Helper()
		got := want[object](t, f, status, "POST", "/api/auth/keys", by, fmt.Sprintf(`{"name":%q,"role":%q,"timeToLive":"30d"}`, name, role))
		if status != 200 {
			return 0, ""
		}
		return int64(got["id"].(float64)), "Bearer " + got["key"].(string)
	}
	for n, scope := range []string{"", "*", "serviceaccounts:*", "serviceaccounts:id:*"} {
		write := host.Grant{Action: access.ServiceAccountsWrite, Scope: scope}
		bare := f.pluginWith(fmt.Sprint("acme-bare-", n), write)
		_, weak := create(bare, fmt.Sprint("weak", n), "Editor", 200)
		create(bare, "boss", "Admin", 403)
		f.check(t, "a key that can do more than the plugin, scope "+scope, 403, "GET", "/api/playlists", weak, "")
		reader := f.pluginWith(fmt.Sprint("acme-reader-", n), write, read, host.Grant{Action: access.PlaylistsWrite})
		first, viewer := create(reader, fmt.Sprint("viewer", n), "Viewer", 200)
		_, editor := create(reader, fmt.Sprint("editor", n), "Editor", 200)
		for credential, status := range map[string]int{viewer: 403, editor: 200} {
			f.check(t, "read with its key, scope "+scope, 200, "GET", "/api/playlists", credential, "")
			f.check(t, "write with its key, scope "+scope, status, "POST", "/api/playlists", credential, `{"name":"p","interval":"5m"}`)
		}
		second, _ := create(f.admin, fmt.Sprint("user", n), "Viewer", 200)
		boss, _ := create(f.admin, fmt.Sprint("user boss", n), "Admin", 200)
		create(f.admin, fmt.Sprint("last", n), "Viewer", 200) // so that keys are not retired
		want[object](t, f, 200, "POST", fmt.Sprint("/api/serviceaccounts/migrate/", first), reader, "")
		want[object](t, f, 200, "POST", fmt.Sprint("/api/serviceaccounts/migrate/", second), bare, "")
		want[object](t, f, 403, "POST", fmt.Sprint("/api/serviceaccounts/migrate/", boss), reader, "")
		f.check(t, "read with its migrated key, scope "+scope, 200, "GET", "/api/playlists", viewer, "")
		f.check(t, "write with its migrated key, scope "+scope, 403, "POST", "/api/playlists", viewer, `{"name":"p","interval":"5m"}`)
		testkit.OK(t, f.store.PrunePluginAccounts(t.Context(), org, "test", nil))
		for _, credential := range []string{weak, viewer, editor} {
			f.check(t, "a key outlives the plugin that created it, scope "+scope, 401, "GET", "/api/user", credential, "")
		}
	}
	narrow := f.pluginWith("acme-narrow", host.Grant{Action: access.ServiceAccountsWrite, Scope: "serviceaccounts:id:1"})
	create(narrow, "narrow", "Viewer", 403)
	want[object](t, f, 200, "POST", "/api/serviceaccounts/migrate", f.pluginWith("acme-writer", host.Grant{Action: access.ServiceAccountsWrite}), "")
}

// A credential cannot create one that outlasts it.
func TestCredentialsDoNotOutlast(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	brief := "Bearer " + want[object](t, f, 200, "POST", "/api/auth/keys", f.admin, `{"name":"brief","role":"Admin","secondsToLive":60}`)["key"].(string)
	var children []string
	for _, c := range []struct {
		target, body string
		status       int
	}{
		{"/api/auth/keys", `{"name":"a","role":"Viewer","timeToLive":"30d"}`, 403},
		{"/api/auth/keys", `{"name":"b","role":"Viewer","secondsToLive":61}`, 403},
		{"/api/auth/keys", `{"name":"c","role":"Viewer","secondsToLive":60}`, 200},
		{"/api/auth/keys", `{"name":"d","role":"Viewer"}`, 200},
		{"/api/serviceaccounts/1/tokens", `{"name":"e","secondsToLive":61}`, 403},
		{"/api/serviceaccounts/1/tokens", `{"name":"f"}`, 200},
	} {
		got := want[object](t, f, c.status, "POST", c.target, brief, c.body)
		if c.status == 200 {
			children = append(children, "Bearer "+got["key"].(string))
		}
	}
	f.advance(time.Minute)
	for _, child := range children {
		f.check(t, "a credential outlasts the one that created it", 401, "GET", "/api/user", child, "")
	}
	f.check(t, "token of a lasting credential", 200, "POST", "/api/serviceaccounts/1/tokens", f.admin, `{"name":"lasting"}`)
}

// The name of an expired key is free, and expired keys do not count toward the quota.
func TestKeyQuota(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	create := func(name string) int {
		return f.do("POST", "/api/auth/keys", f.editor, fmt.Sprintf(`{"name":%q,"role":"Viewer","timeToLive":"1m"}`, name)).status
	}
	editor := host.Identity{OrgID: org, Role: host.RoleEditor}
	for n := range gate.MaxAPIKeys {
		if _, _, err := f.store.CreateAPIKey(t.Context(), editor, host.APIKey{Name: fmt.Sprint("k", n), Role: host.RoleViewer}, time.Minute); err != nil {
			t.Fatalf("key %d: %v", n, err)
		}
	}
	if a, b := create("one more"), create("k0"); a != 429 || b != 429 {
		t.Errorf("keys over the quota: %d and, with a name that is taken, %d; want 429", a, b)
	}
	f.advance(time.Minute)
	if status := create("k0"); status != 200 {
		t.Errorf("the name of an expired key: %d", status)
	}
	if status := create("one more"); status != 200 {
		t.Errorf("a key after the others expired: %d", status)
	}
	f.advance(host.KeepExpired + 2*time.Minute)
	testkit.Must(f.store.PurgeExpired(t.Context()))(t)
	if got := want[[]object](t, f, 200, "GET", "/api/auth/keys?includeExpired=true", f.admin, ""); len(got) != 0 {
		t.Errorf("%d expired keys are left", len(got))
	}
}

// Only an administrator may disable, enable and revoke the account of a
// plugin. A disabled account stays disabled when the plugin starts again.
func TestRevokePlugin(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	other := f.pluginWith("acme-other", host.Grant{Action: access.ServiceAccountsWrite}, host.Grant{Action: access.ServiceAccountsDelete})
	found := want[object](t, f, 200, "GET", "/api/serviceaccounts/search?query=extsvc-acme-app", f.admin, "")["serviceAccounts"].([]any)
	target := fmt.Sprintf("/api/serviceaccounts/%v", found[0].(object)["id"])
	token := func() string {
		tokens := want[[]object](t, f, 200, "GET", target+"/tokens", f.admin, "")
		return fmt.Sprintf("%s/tokens/%v", target, tokens[0]["id"])
	}
	status := func() int { return f.do("GET", "/api/playlists", f.plugin, "").status }
	for _, c := range []struct {
		what, method, target, by, body string
		status, after                  int
	}{
		{"another plugin disables", "PATCH", target, other, `{"isDisabled":true}`, 403, 200},
		{"another plugin revokes the token", "DELETE", token(), other, "", 403, 200},
		{"another plugin deletes", "DELETE", target, other, "", 403, 200},
		{"an administrator raises the role", "PATCH", target, f.admin, `{"role":"Admin","isDisabled":false}`, 403, 200},
		{"an administrator disables", "PATCH", target, f.admin, `{"isDisabled":true}`, 200, 401},
		{"an administrator enables", "PATCH", target, f.admin, `{"isDisabled":false}`, 200, 200},
		{"an administrator disables again", "PATCH", target, f.admin, `{"isDisabled":true}`, 200, 401},
	} {
		f.check(t, c.what, c.status, c.method, c.target, c.by, c.body)
		if got := status(); got != c.after {
			t.Errorf("%s: status with the token is then %d, want %d", c.what, got, c.after)
		}
	}
	read := host.Grant{Action: access.PlaylistsRead, Scope: "playlists:*"}
	f.plugin = f.pluginWith("acme-app", read)
	if got := status(); got != 401 {
		t.Errorf("the plugin starts again: %d with the token of a disabled account", got)
	}
	testkit.OK(t, f.store.PrunePluginAccounts(t.Context(), org, "test", []string{"acme-other"}))
	f.plugin = f.pluginWith("acme-app", read)
	if got := status(); got != 401 {
		t.Errorf("the plugin was removed and returned: %d with the token of a disabled account", got)
	}
	want[object](t, f, 200, "PATCH", target, f.admin, `{"isDisabled":false}`)
	if got := status(); got != 200 {
		t.Errorf("the account is enabled: %d", got)
	}
	want[object](t, f, 200, "DELETE", token(), f.admin, "")
	if got := status(); got != 401 {
		t.Errorf("the token is revoked: %d", got)
	}
	f.plugin = f.pluginWith("acme-app", read)
	want[object](t, f, 200, "DELETE", target, f.admin, "")
	if got := status(); got != 401 {
		t.Errorf("the account is deleted: %d", got)
	}
}
