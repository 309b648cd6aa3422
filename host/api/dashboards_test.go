package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestDashboards(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	want[object](t, f, 200, "POST", "/api/folders", f.editor, `{"uid":"ops","title":"Operations"}`)
	created := want[object](t, f, 200, "POST", "/api/dashboards/db", f.editor,
		`{"dashboard":{"id":null,"title":"Löad 1","tags":["b","a","b"],"panels":[{"big":12345678901234567890}]},"folderUid":"ops","message":"first"}`)
	uid := created["uid"].(string)
	wantFields(t, "new dashboard", created, object{"version": 1.0, "status": "success", "folderUid": "ops", "url": "/d/" + uid + "/l%C3%B6ad-1"})
	target := "/api/dashboards/uid/" + uid
	got := f.do("GET", target, f.viewer, "")
	for _, part := range []string{`"panels":[{"big":12345678901234567890}]`, `"tags":["a","b"]`, `"version":1`, `"folderTitle":"Operations"`, `"canEdit":false`, `"uid":"` + uid + `"`} {
		if !strings.Contains(got.body, part) {
			t.Errorf("the response does not contain %s: %s", part, got.body)
		}
	}
	// A save needs the current version.
	save := func(rest string) reply {
		return f.do("POST", "/api/dashboards/db", f.editor, fmt.Sprintf(`{"dashboard":{"uid":%q,"title":"Load","version":1}%s}`, uid, rest))
	}
	if got := save(""); got.status != 200 || !strings.Contains(got.body, `"version":2`) || !strings.Contains(got.body, `"folderUid":"ops"`) {
		t.Errorf("save with the current version: %+v", got)
	}
	if got := save(""); got.status != 412 || !strings.Contains(got.body, "version-mismatch") || !strings.Contains(got.message(), "version 2") {
		t.Errorf("save with an old version: %+v", got)
	}
	if got := save(`,"overwrite":true,"folderUid":""`); got.status != 200 || !strings.Contains(got.body, `"version":3`) || !strings.Contains(got.body, `"folderUid":""`) {
		t.Errorf("save with overwrite: %+v", got)
	}
	for body, field := range map[string]string{
		`{}`:                                             "dashboard",
		`{"dashboard":[]}`:                               "dashboard",
		`{"dashboard":null}`:                             "dashboard",
		`{"dashboard":{}}`:                               "dashboard.title",
		`{"dashboard":{"title":1}}`:                      "dashboard.title",
		`{"dashboard":{"title":"x","tags":"a"}}`:         "dashboard.tags",
		`{"dashboard":{"title":"x","tags":[""]}}`:        "dashboard.tags",
		`{"dashboard":{"title":"x","uid":"a/b"}}`:        "dashboard.uid",
		`{"dashboard":{"title":"x"},"folderUid":"none"}`: "folderUid",
		`{"dashboard":{"title":"x"},"overwrite":1}`:      "overwrite",
	} {
		if got := f.do("POST", "/api/dashboards/db", f.editor, body); got.status != 400 || !strings.HasPrefix(got.message(), field+":") {
			t.Errorf("%s: %+v, want 400 naming %s", body, got, field)
		}
	}
	f.check(t, "save with an unknown id", 404, "POST", "/api/dashboards/db", f.editor, `{"dashboard":{"title":"x","id":99}}`)
	byID := want[object](t, f, 200, "POST", "/api/dashboards/db", f.editor, fmt.Sprintf(`{"dashboard":{"id":%v,"title":"By id","version":3}}`, created["id"]))
	if byID["uid"] != uid {
		t.Errorf("save by id: %v", byID)
	}
	gone := want[object](t, f, 200, "DELETE", target, f.editor, "")
	wantFields(t, "deleted dashboard", gone, object{"title": "By id"})
	want[object](t, f, 404, "GET", target, f.viewer, "")
	want[object](t, f, 404, "DELETE", target, f.editor, "")
}

func TestSearch(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	folder := want[object](t, f, 200, "POST", "/api/folders", f.editor, `{"uid":"ops","title":"Operations"}`)["id"]
	var id any // of the last dashboard
	for _, d := range []string{
		`{"dashboard":{"title":"b 100%","tags":["x","y"]},"folderUid":"ops"}`, `{"dashboard":{"title":"Ärger","tags":["x"]}}`,
		`{"dashboard":{"title":"a 1000"}}`,
	} {
		id = want[object](t, f, 200, "POST", "/api/dashboards/db", f.editor, d)["id"]
	}
	for query, titles := range map[string]string{
		"":                                   "a 1000|b 100%|Ärger",
		"?query=%C3%A4RG":                    "Ärger",
		"?query=100%25":                      "b 100%",
		"?tag=x":                             "b 100%|Ärger",
		"?tag=x&tag=y&type=dash-db":          "b 100%",
		"?tag=none":                          "",
		"?folderUIDs=ops":                    "b 100%",
		"?folderUIDs=none,ops":               "b 100%",
		"?folderUIDs=general":                "a 1000|Ärger",
		"?folderUIDs=":                       "a 1000|b 100%|Ärger",
		"?folderUIDs=general&folderUIDs=ops": "a 1000|b 100%|Ärger",
		fmt.Sprint("?folderIds=", folder):    "b 100%",
		fmt.Sprint("?folderIds=0,", folder):  "a 1000|b 100%|Ärger",
		"?folderIds=0":                       "a 1000|Ärger",
		"?folderIds=x":                       "",
		fmt.Sprint("?dashboardIds=99&dashboardIds=", id): "a 1000",
		fmt.Sprint("?folderIds=0&dashboardIds=", id):     "a 1000",
		fmt.Sprint("?folderUIDs=ops&dashboardIds=", id):  "",
		"?limit=1&page=2":       "b 100%",
		"?limit=2&tag=x&page=2": "",
		"?type=dash-folder":     "Operations", "?type=dash-folder&query=OPER": "Operations", "?type=dash-folder&query=x": "",
		"?type=dash-folder&tag=x": "", "?type=dash-folder&page=2&limit=1": "", "?type=dash-folder&folderUIDs=ops": "",
	} {
		found := []string{}
		for _, hit := range want[[]object](t, f, 200, "GET", "/api/search"+query, f.viewer, "") {
			found = append(found, hit["title"].(string))
		}
		if got := strings.Join(found, "|"); got != titles {
			t.Errorf("%s: %s, want %s", query, got, titles)
		}
	}
	for _, query := range []string{"?limit=x", "?page=-1", "?type=dash-x", "?tag=" + strings.Repeat("a&tag=", 11), "?folderUIDs=" + strings.Repeat("a,", 501), "?dashboardIds=" + strings.Repeat("1,", 501)} {
		want[object](t, f, 400, "GET", "/api/search"+query, f.viewer, "")
	}
	// The dashboards of a folder are deleted with it.
	want[object](t, f, 200, "PUT", "/api/folders/ops", f.editor, `{"title":"Ops","version":1}`)
	want[object](t, f, 200, "DELETE", "/api/folders/ops", f.editor, "")
	if left := want[[]object](t, f, 200, "GET", "/api/search", f.viewer, ""); len(left) != 2 {
		t.Errorf("dashboards after the deletion of their folder: %v", left)
	}
}

// A grant on one dashboard does not allow saving others.
func TestDashboardGrant(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	token := testkit.Must(f.store.ReconcilePluginAccount(t.Context(), org, "acme-narrow", "test",
		[]host.Grant{{Action: access.DashboardsWrite, Scope: "dashboards:uid:mine"}}))(t)
	narrow := "Bearer " + token.Secret()
	want[object](t, f, 403, "POST", "/api/dashboards/db", narrow, `{"dashboard":{"uid":"mine","title":"x"}}`) // it may not place it
	want[object](t, f, 200, "POST", "/api/dashboards/db", f.editor, `{"dashboard":{"uid":"mine","title":"x"}}`)
	for uid, status := range map[string]int{`"uid":"mine",`: 200, `"uid":"other",`: 403, "": 403} {
		f.check(t, "", status, "POST", "/api/dashboards/db", narrow, `{"dashboard":{`+uid+`"title":"x"},"overwrite":true}`)
	}
}
