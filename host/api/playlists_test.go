package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestPlaylistLife(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	item := func(kind, value string, order int) string {
		return fmt.Sprintf(`{"type":%q,"value":%q,"order":%d,"title":"T %s","extra":[{}]}`, kind, value, order, value)
	}
	created := want[object](t, f, 200, "POST", "/api/playlists/", f.editor, `{"name":"My playlist","interval":"5m","unknown":1,
		"items":[`+item("dashboard_by_tag", "ops", 2)+`,`+item("dashboard_by_id", "3", 1)+`]}`)
	uid, _ := created["uid"].(string)
	if len(created) != 3 || uid == "" {
		t.Errorf("new playlist: %v", created)
	}
	wantFields(t, "new playlist", created, object{"name": "My playlist", "interval": "5m"})
	full := want[object](t, f, 200, "GET", "/api/playlists/"+uid, f.viewer, "")
	items := full["items"].([]any)
	if len(full) != 5 || full["orgId"] != "1" || len(items) != 2 {
		t.Errorf("playlist: %v", full)
	}
	first := items[0].(object)
	if len(first) != 6 || first["id"].(float64) < 1 {
		t.Errorf("first item: %v", first)
	}
	wantFields(t, "first item", first, object{"playlistUid": uid, "type": "dashboard_by_id", "value": "3", "order": 1.0, "title": "T 3"})
	if got := want[[]any](t, f, 200, "GET", "/api/playlists/"+uid+"/items", f.plugin, ""); !cmp.Equal(got, items) {
		t.Errorf("items (-want +got):\n%s", cmp.Diff(items, got))
	}
	if got := f.do("GET", "/api/playlists/"+uid+"/dashboards", f.viewer, ""); got.body != "[]" {
		t.Errorf("dashboards of items that refer to none: %+v", got)
	}
	d := testkit.Must(f.store.SaveDashboard(t.Context(), org, host.Dashboard{Title: "Ops", Tags: []string{"ops"}}, store.Save{}))(t)
	shown := fmt.Sprintf(`[{"id":%d,"title":"Ops","order":2,"uid":%q,"slug":"ops","url":"/d/%[2]s/ops","uri":"db/ops"}]`, d.ID, d.UID)
	if got := f.do("GET", "/api/playlists/"+uid+"/dashboards", f.viewer, ""); got.body != shown {
		t.Errorf("dashboards: %+v, want %s", got, shown)
	}
	if got := f.do("GET", "/api/playlists/"+uid+"/dashboards?limit=1&page=2", f.viewer, ""); got.body != "[]" {
		t.Errorf("second page of one dashboard: %+v", got)
	}
	updated := want[object](t, f, 200, "PUT", "/api/playlists/"+uid, f.editor, `{"name":"New","interval":"1h",
		"items":[{"playlistUid":"`+uid+`","type":"dashboard_by_tag","value":"x","order":7.0,"title":"X"}]}`)
	if again := want[object](t, f, 200, "GET", "/api/playlists/"+uid, f.viewer, ""); !cmp.Equal(again, updated) || len(again) != 5 {
		t.Errorf("response to the update and later read differ (-update +read):\n%s", cmp.Diff(updated, again))
	}
	for _, c := range []struct{ method, path string }{
		{"GET", ""}, {"GET", "/items"}, {"GET", "/dashboards"}, {"PUT", ""}, {"DELETE", ""},
	} {
		body := ""
		if c.method == "PUT" {
			body = `{"name":"New","interval":"1h"}`
		}
		for _, unknown := range []string{"nope", "%00", "%ff", "a%2Fb", strings.Repeat("x", 500)} {
			got := f.do(c.method, "/api/playlists/"+unknown+c.path, f.editor, body)
			if got.status != 404 || got.body != `{"message":"Playlist not found"}` {
				t.Errorf("%s %s%s: %+v", c.method, unknown, c.path, got)
			}
		}
	}
	if got := f.do("DELETE", "/api/playlists/"+uid, f.viewer, ""); got.status != 403 || got.body != `{"message":"Permission denied"}` {
		t.Errorf("deletion by a viewer: %+v", got)
	}
	if got := f.do("DELETE", "/api/playlists/"+uid, f.editor, ""); got.status != 200 || got.body != `{}` {
		t.Errorf("deletion: %+v", got)
	}
	if got := f.do("GET", "/api/playlists", f.viewer, ""); got.body != `[]` {
		t.Errorf("list after the deletion: %+v", got)
	}
}

func TestPlaylistList(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, name := range []string{"My B", "my a", "100%", "x"} {
		want[object](t, f, 200, "POST", "/api/playlists", f.editor, `{"name":"`+name+`","interval":"5m","items":[]}`)
	}
	for query, names := range map[string]string{
		"": "100%,My B,my a,x", "?limit=2": "100%,My B", "?limit=0": "100%,My B,my a,x", "?limit=2&page=2": "my a,x",
		"?limit=2&page=3": "", "?query=MY": "My B,my a", "?query=%25": "100%", "?query=_": "", "?query=nope": "",
		"?limit=9223372036854775807&page=9223372036854775807": "", "?other=1&query=": "100%,My B,my a,x",
	} {
		var got []string
		for _, p := range want[[]object](t, f, 200, "GET", "/api/playlists"+query, f.viewer, "") {
			if len(p) != 3 {
				t.Errorf("entry of the list: %v", p)
			}
			got = append(got, p["name"].(string))
		}
		if strings.Join(got, ",") != names {
			t.Errorf("%q: %v, want %v", query, got, names)
		}
	}
	for query, field := range map[string]string{
		"?limit=-1": "limit", "?limit=abc": "limit", "?limit=1.5": "limit", "?limit=99999999999999999999": "limit", "?limit=%00": "limit",
		"?page=-1": "page", "?page=x": "page", "?query=%ff": "query", "?query=a%00": "query", "?query=%zz": "query", "?a;b": "query",
	} {
		if got := f.do("GET", "/api/playlists"+query, f.viewer, ""); got.status != 400 || !strings.Contains(got.message(), field) {
			t.Errorf("%q: %+v", query, got)
		}
	}
}

func TestFolders(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ops := want[object](t, f, 200, "POST", "/api/folders", f.editor, `{"title":"Ops","uid":"ops_1"}`)
	wantFields(t, "new folder", ops, object{"uid": "ops_1", "title": "Ops", "url": "/dashboards/f/ops_1/ops", "version": 1.0, "hasAcl": false,
		"canEdit": true, "canAdmin": false, "created": "2023-11-14T22:13:20Z", "createdBy": "sa-editor"})
	want[object](t, f, 200, "POST", "/api/folders", f.editor, `{"title":"Dev"}`)
	if all := want[[]object](t, f, 200, "GET", "/api/folders", f.viewer, ""); len(all) != 2 || all[0]["title"] != "Dev" {
		t.Errorf("folders: %v", all)
	}
	if one := want[[]object](t, f, 200, "GET", "/api/folders?limit=1&page=2", f.viewer, ""); len(one) != 1 || one[0]["title"] != "Ops" {
		t.Errorf("second page: %v", one)
	}
	if children := want[[]object](t, f, 200, "GET", "/api/folders?parentUid=ops_1", f.viewer, ""); children == nil || len(children) != 0 {
		t.Errorf("children of a folder: %v", children)
	}
	for _, c := range []struct {
		method, target, body string
		status               int
	}{
		{"POST", "/api/folders", `{"title":"Ops"}`, 409},
		{"POST", "/api/folders", `{"title":"New","uid":"ops_1"}`, 409},
		{"POST", "/api/folders", `{"title":"New","uid":"a/b"}`, 400},
		{"POST", "/api/folders", `{}`, 400},
		{"POST", "/api/folders", `{"title":"New","parentUid":"ops_1"}`, 400},
		{"GET", "/api/folders/ops_1", "", 200},
		{"PUT", "/api/folders/ops_1", `{"title":"Ops 2","version":1}`, 200},
		{"PUT", "/api/folders/ops_1", `{"title":"Ops 3","version":1}`, 412},
		{"PUT", "/api/folders/ops_1", `{"title":"Ops 3","version":1,"overwrite":true}`, 200},
		{"PUT", "/api/folders/ops_1", `{"title":"Ops 4"}`, 200},
		{"DELETE", "/api/folders/ops_1?version=2", "", 412},
		{"DELETE", "/api/folders/ops_1", "", 200},
		{"DELETE", "/api/folders/ops_1", "", 404},
		{"GET", "/api/folders/ops_1", "", 404},
	} {
		f.check(t, "", c.status, c.method, c.target, f.editor, c.body)
	}
}

// Lists in a body are bounded.
func TestLongLists(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	list := func(n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(`{"type":"dashboard_by_tag","value":"a"},`, n), ",") + "]"
	}
	for _, c := range []struct {
		path, fields string
		status       int
		message      string // its start
	}{
		{"playlists", `"items":` + list(1000), 200, ""},
		{"playlists", `"items":` + list(1001), 400, "items: must not have more than 1000 entries, found 1001"},
		{"ds/query", `"queries":` + list(201), 400, "queries: must be an array of 1 to 200 queries, found 201"},
		{"ds/query", `"queries":[]`, 400, "queries: must be an array of 1 to 200 queries, found 0"},
		{"ds/query", `"queries":1`, 400, "queries: must be an array, found a number"},
	} {
		got := f.do("POST", "/api/"+c.path, f.editor, `{"name":"p","interval":"5m",`+c.fields+`}`)
		if got.status != c.status || !strings.HasPrefix(got.message(), c.message) {
			t.Errorf("%s with %.20s...: %d %s, want %d %s", c.path, c.fields, got.status, got.message(), c.status, c.message)
		}
	}
}
