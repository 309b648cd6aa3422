package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// scoped is a fixture with dashboards in two folders and in none, a data source for each
// and the token of a plugin with permissions.
func scoped(t *testing.T) (f *fixture, token func(grants ...host.Grant) string) {
	t.Helper()
	f = newFixture(t)
	for _, folder := range []string{"ops", "dev"} {
		want[object](t, f, 200, "POST", "/api/folders", f.editor, fmt.Sprintf(`{"uid":%q,"title":%[1]q}`, folder))
		want[object](t, f, 200, "POST", "/api/dashboards/db", f.editor, fmt.Sprintf(`{"dashboard":{"uid":"in-%s","title":"in %[1]s"},"folderUid":%[1]q}`, folder))
		want[object](t, f, 200, "POST", "/api/datasources", f.admin, fmt.Sprintf(`{"uid":"of-%s","name":"of %[1]s","type":"acme-x"}`, folder))
	}
	want[object](t, f, 200, "POST", "/api/dashboards/db", f.editor, `{"dashboard":{"uid":"alone","title":"alone"}}`)
	n := 0
	return f, func(grants ...host.Grant) string {
		n++
		token := testkit.Must(f.store.ReconcilePluginAccount(t.Context(), org, fmt.Sprintf("acme-app%d", n), "test", grants))(t)
		return "Bearer " + token.Secret()
	}
}

// A permission on a folder covers its dashboards: in a search, when they are read, and
// when they are written.
func TestScopesOfFolders(t *testing.T) {
	t.Parallel()
	f, token := scoped(t)
	for _, c := range []struct{ scope, found string }{
		{"*", "alone in-dev in-ops"}, {"", "alone in-dev in-ops"}, {"folders:uid:*", "alone in-dev in-ops"}, {"folders:*", "alone in-dev in-ops"},
		{"dashboards:*", "alone in-dev in-ops"}, {"dashboards:uid:*", "alone in-dev in-ops"},
		{"folders:uid:ops", "in-ops"}, {"folders:uid:general", "alone"}, {"dashboards:uid:in-dev", "in-dev"},
		{"folders:uid:op", ""}, {"dashboards:uid:in-_ps", ""}, {"datasources:*", ""},
	} {
		who := token(host.Grant{Action: access.DashboardsRead, Scope: c.scope})
		found := []string{}
		for _, hit := range want[[]object](t, f, 200, "GET", "/api/search", who, "") {
			found = append(found, hit["uid"].(string))
		}
		slices.Sort(found)
		if got := strings.Join(found, " "); got != c.found {
			t.Errorf("search with %q: %s, want %s", c.scope, got, c.found)
		}
		for _, uid := range []string{"in-ops", "in-dev", "alone", "none"} {
			allowed := slices.Contains(found, uid)
			got := f.do("GET", "/api/dashboards/uid/"+uid, who, "")
			if allowed != (got.status == 200) || uid != "none" && !allowed && got.status != 403 {
				t.Errorf("read %s with %q: %+v", uid, c.scope, got)
			}
		}
	}
	writer := token(host.Grant{Action: access.DashboardsWrite, Scope: "folders:uid:ops"})
	creator := token(host.Grant{Action: access.DashboardsCreate, Scope: "folders:uid:ops"})
	remover := token(host.Grant{Action: access.DashboardsDelete, Scope: "folders:uid:ops"})
	for _, c := range []struct {
		who, method, target, body string
		status                    int
	}{
		{writer, "POST", "/api/dashboards/db", `{"dashboard":{"uid":"in-ops","title":"x"},"overwrite":true}`, 200},
		{writer, "POST", "/api/dashboards/db", `{"dashboard":{"uid":"in-ops","title":"x"},"folderUid":"dev","overwrite":true}`, 403},
		{writer, "POST", "/api/dashboards/db", `{"dashboard":{"uid":"in-dev","title":"x"},"overwrite":true}`, 403},
		{writer, "POST", "/api/dashboards/db", `{"dashboard":{"uid":"in-dev","title":"x"},"folderUid":"ops","overwrite":true}`, 403},
		{writer, "POST", "/api/dashboards/db", `{"dashboard":{"title":"new"},"folderUid":"ops"}`, 200},
		{writer, "POST", "/api/dashboards/db", `{"dashboard":{"title":"new"}}`, 403},
		{writer, "POST", "/api/dashboards/import", `{"dashboard":{"title":"new"},"folderUid":"dev"}`, 403},
		{creator, "POST", "/api/dashboards/db", `{"dashboard":{"title":"new"},"folderUid":"ops"}`, 200},
		{creator, "POST", "/api/dashboards/db", `{"dashboard":{"uid":"in-ops","title":"x"},"overwrite":true}`, 403},
		{creator, "POST", "/api/dashboards/db", `{"dashboard":{"title":"new"},"folderUid":"general"}`, 403},
		{writer, "DELETE", "/api/dashboards/uid/in-dev", "", 403},
		{remover, "DELETE", "/api/dashboards/uid/in-dev", "", 403},
		{remover, "DELETE", "/api/dashboards/uid/none", "", 403},
		{remover, "DELETE", "/api/dashboards/uid/in-ops", "", 200},
		{writer, "GET", "/api/dashboards/uid/in-ops", "", 403},
		{f.editor, "POST", "/api/dashboards/db", `{"dashboard":{"uid":"in-dev","title":"x"},"folderUid":"general","overwrite":true}`, 200},
		{writer, "POST", "/api/dashboards/db", `{"dashboard":{"id":99,"title":"x"}}`, 403},
		{f.editor, "POST", "/api/dashboards/db", `{"dashboard":{"id":99,"title":"x"}}`, 404},
		{writer, "POST", "/api/dashboards/import", `{"dashboard":{"title":"x"},"folderId":99}`, 403},
		{f.editor, "POST", "/api/dashboards/import", `{"dashboard":{"title":"x"},"folderId":99}`, 404},
		{f.editor, "POST", "/api/dashboards/import", `{"dashboard":{"title":"x"},"folderUid":"general"}`, 200},
		{writer, "POST", "/api/dashboards/db", `{"dashboard":{"title":"x"},"folderId":1}`, 200},
		{f.editor, "POST", "/api/folders", `{"uid":"general","title":"g"}`, 400},
	} {
		f.check(t, "", c.status, c.method, c.target, c.who, c.body)
	}
}

// Lists contain what the caller may read.
func TestScopesOfLists(t *testing.T) {
	t.Parallel()
	f, token := scoped(t)
	for _, c := range []struct{ action, scope, target, found string }{
		{access.FoldersRead, "folders:uid:ops", "/api/folders", "ops"},
		{access.FoldersRead, "folders:uid:*", "/api/folders", "dev ops"},
		{access.FoldersRead, "folders:uid:none", "/api/folders", ""},
		{access.DatasourcesRead, "datasources:uid:of-dev", "/api/datasources", "of-dev"},
		{access.DatasourcesRead, "datasources:*", "/api/datasources", "of-dev of-ops"},
	} {
		var found []string
		for _, entry := range want[[]object](t, f, 200, "GET", c.target, token(host.Grant{Action: c.action, Scope: c.scope}), "") {
			found = append(found, entry["uid"].(string))
		}
		if got := strings.Join(found, " "); got != c.found {
			t.Errorf("%s on %s: %s, want %s", c.action, c.scope, got, c.found)
		}
	}
	who := token(host.Grant{Action: access.DatasourcesRead, Scope: "datasources:uid:of-ops"}, host.Grant{Action: access.FoldersRead, Scope: "folders:uid:ops"})
	for target, status := range map[string]int{
		"/api/datasources/1": 200, "/api/datasources/2": 403, "/api/datasources/99": 403, "/api/datasources/x": 400,
		"/api/datasources/name/of%20ops": 200, "/api/datasources/name/of%20dev": 403, "/api/datasources/name/none": 403,
	} {
		f.check(t, "", status, "GET", target, who, "")
	}
}

// What one permission shows or changes, besides its own object, needs another permission.
func TestScopesOfOthers(t *testing.T) {
	t.Parallel()
	f, token := scoped(t)
	p := want[object](t, f, 200, "POST", "/api/playlists", f.editor, `{"name":"p","interval":"5m","items":[
		{"type":"dashboard_by_uid","value":"in-ops"},{"type":"dashboard_by_uid","value":"alone"}]}`)
	target := fmt.Sprint("/api/playlists/", p["uid"], "/dashboards")
	reader := host.Grant{Action: access.PlaylistsRead, Scope: "playlists:*"}
	for scope, found := range map[string]int{"": 0, "folders:uid:ops": 1, "dashboards:uid:alone": 1, "dashboards:*": 2} {
		grants := []host.Grant{reader}
		if scope != "" {
			grants = append(grants, host.Grant{Action: access.DashboardsRead, Scope: scope})
		}
		if got := want[[]object](t, f, 200, "GET", target, token(grants...), ""); len(got) != found {
			t.Errorf("dashboards of a playlist with %q: %v, want %d", scope, got, found)
		}
	}
	creator := token(host.Grant{Action: access.DatasourcesCreate, Scope: "datasources:*"})
	want[object](t, f, 403, "POST", "/api/datasources", creator, `{"name":"mine","type":"acme-x","isDefault":true}`)
	want[object](t, f, 200, "POST", "/api/datasources", creator, `{"name":"mine","type":"acme-x"}`)
}
