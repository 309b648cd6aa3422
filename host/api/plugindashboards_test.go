package api_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host/api"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/validate/inspect"
)

// TestDashboardsAsValidated requires that the host imports exactly the dashboards that validate
// accepts.
func TestDashboardsAsValidated(t *testing.T) {
	t.Parallel()
	verdicts := map[bool]int{}
	for i, c := range []struct{ model, uid string }{
		{`{"uid": "UID", "title": "A"}`, ""},
		{`{"title": "A"}`, "UID"},
		{`{"title": "A"}`, ""},
		{`{"title": "A"}`, "a b"},
		{`{"uid": "a/b", "title": "A"}`, "UID"},
		{`{"uid": "` + strings.Repeat("a", 41) + `", "title": "A"}`, ""},
		{`{"uid": "UID"}`, ""},
		{`{"uid": "UID", "title": " "}`, ""},
		{`{"uid": "UID", "title": "A\u0007"}`, ""},
		{`{"uid": "UID", "title": "` + strings.Repeat("ä", 190) + `"}`, ""},
		{`{"uid": "UID", "title": "` + strings.Repeat("ä", 191) + `"}`, ""},
		{`{"uid": "UID", "title": "A", "id": null, "version": null, "tags": null}`, ""},
		{`{"uid": "UID", "title": "A", "id": 1.5}`, ""},
		{`{"uid": "UID", "title": "A", "version": "1"}`, ""},
		{`{"uid": null, "title": "A"}`, ""},
		{`{"uid": 1, "title": "A"}`, ""},
		{`{"uid": "UID", "title": "A", "tags": "a"}`, ""},
		{`{"uid": "UID", "title": "A", "tags": ["a", ""]}`, ""},
		{`{"uid": "UID", "title": "A", "tags": [1]}`, ""},
		{`{"uid": "UID", "title": "A", "tags": ["a"` + strings.Repeat(`, "a"`, 100) + `]}`, ""},
		{`{"uid": "UID", "title": "A", "tags": [` + numbered(101) + `]}`, ""},
		{`{"uid": "UID", "title": "A"} x`, ""},
		{`[]`, ""}, {`null`, ""}, {``, ""},
	} {
		uid := "uid" + strconv.Itoa(i)
		model, uidOfEntry := strings.Replace(c.model, "UID", uid, 1), strings.Replace(c.uid, "UID", uid, 1)
		b := bundle.Plugin{Dir: t.TempDir(), Metadata: &bundle.Metadata{ID: "acme-clock-app"}}
		testkit.WriteFile(t, filepath.Join(b.Dir, "board.json"), model)
		_, want := api.DashboardIn(b, bundle.Include{Type: "dashboard", Path: "board.json", UID: uidOfEntry})
		got := inspect.CheckDashboard([]byte(model), uidOfEntry)
		if (got == nil) != (want == nil) {
			t.Errorf("%s, uid %q: validate: %v; host: %v", model, uidOfEntry, got, want)
		}
		verdicts[want == nil]++
	}
	if verdicts[true] < 3 || verdicts[false] < 10 {
		t.Errorf("verdicts: %v", verdicts)
	}
}

// numbered returns different JSON strings, with commas between them.
func numbered(n int) string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = strconv.Quote("tag " + strconv.Itoa(i))
	}
	return strings.Join(texts, ", ")
}

// TestOfferedDashboards imports dashboards of a plugin, which the host does not do unasked.
func TestOfferedDashboards(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	dir := t.TempDir()
	testkit.WriteFiles(t, dir, map[string]string{
		"plugin.json": `{"id":"acme-boards-app","type":"app","name":"Boards","includes":[
			{"type":"dashboard","path":"one.json"},
			{"type":"dashboard","name":"Second","path":"two.json","uid":"two"},
			{"type":"dashboard","path":"no-uid.json"},
			{"type":"dashboard","path":"../outside.json","uid":"outside"},
			{"type":"dashboard","path":"secret.json","role":"Admin"},
			{"type":"page","path":"/a/acme-boards-app"}]}`,
		"one.json": `{"uid":"one","id":77,"version":9,"title":"One","tags":["acme"],"n":12345678901234567890,
			"__inputs":[{"name":"DS","type":"datasource","pluginId":"acme-x"}],"panels":[{"datasource":"${DS}"}]}`,
		"secret.json":     `{"uid":"secret","title":"Secret"}`,
		"two.json":        `{"title":"Two"}`,
		"no-uid.json":     `{"title":"None"}`,
		"../outside.json": `{"title":"Outside","uid":"outside"}`,
	})
	f.mount(t, loader.Options{Dirs: []string{dir}})
	want[object](t, f, 200, "POST", "/api/folders", f.editor, `{"uid":"ops","title":"Ops"}`)
	const list, target = "/api/plugins/acme-boards-app/dashboards", "/api/dashboards/import"
	summary := func() string {
		out := ""
		for _, o := range want[[]object](t, f, 200, "GET", list, f.viewer, "") {
			out += fmt.Sprintf("%v %v %v %v; ", o["path"], o["title"], o["imported"], o["error"] != nil)
		}
		return out
	}
	const offered = "one.json One false false; two.json Two false false; no-uid.json  false true; ../outside.json  false true; "
	if got := summary(); got != offered {
		t.Errorf("offered dashboards: %s, want %s", got, offered)
	}
	if found := want[[]object](t, f, 200, "GET", "/api/search", f.viewer, ""); len(found) != 0 {
		t.Errorf("dashboards that nobody imported: %v", found)
	}
	for _, c := range []struct {
		who, body string
		status    int
	}{
		{f.viewer, `{"pluginId":"acme-boards-app","path":"two.json"}`, 403},
		{f.editor, `{"pluginId":"acme-boards-app","path":"one.json","folderUid":"ops"}`, 400}, // no value for DS
		{f.editor, `{"pluginId":"acme-boards-app","path":"one.json","folderUid":"ops","inputs":[{"name":"DS","type":"datasource","value":"mine"}]}`, 200},
		{f.editor, `{"pluginId":"acme-boards-app","path":"two.json","folderId":1}`, 200},
		{f.editor, `{"pluginId":"acme-boards-app","path":"two.json"}`, 412},
		{f.editor, `{"pluginId":"acme-boards-app","path":"two.json","overwrite":true}`, 200},
		{f.editor, `{"pluginId":"acme-boards-app","path":"no-uid.json"}`, 400},
		{f.editor, `{"pluginId":"acme-boards-app","path":"../outside.json"}`, 400},
		{f.editor, `{"pluginId":"acme-boards-app","path":"plugin.json"}`, 404},
		{f.editor, `{"pluginId":"acme-none-app","path":"two.json"}`, 404},
		{f.editor, `{"dashboard":{"title":"Own","__inputs":[{"name":"A","type":"constant","value":"7"}],"x":"${A}"}}`, 200},
		{f.editor, `{"dashboard":{"title":"Own","__inputs":1}}`, 400},
		{f.editor, `{"dashboard":{"title":"Own","__inputs":[` + strings.Repeat(`{"name":"A","value":"7"},`, gate.MaxInputs) + `{"name":"A","value":"7"}]}}`, 400},
		{f.editor, `{"dashboard":{"title":"Own","__inputs":[{"name":"A","value":"` + strings.Repeat("x", 100_000) + `"}],"x":["${A}"` + strings.Repeat(`,"${A}"`, 4000) + `]}}`, 400},
		{f.editor, `{"dashboard":{"title":"${A}","uid":"filled","tags":["${A}"],"__inputs":[{"name":"A","value":"7"}]}}`, 200},
		{f.editor, `{"pluginId":"acme-boards-app","path":"secret.json"}`, 404},
		{f.admin, `{"pluginId":"acme-boards-app","path":"secret.json"}`, 200},
		{f.editor, `{}`, 400},
	} {
		f.check(t, "", c.status, "POST", target, c.who, c.body)
	}
	const imported = "one.json One true false; two.json Two true false; no-uid.json  false true; ../outside.json  false true; "
	if got := summary(); got != imported {
		t.Errorf("imported dashboards: %s, want %s", got, imported)
	}
	got := f.do("GET", "/api/dashboards/uid/one", f.viewer, "")
	for _, part := range []string{`"datasource":"mine"`, `12345678901234567890`, `"folderUid":"ops"`, `"pluginId":"acme-boards-app"`} {
		if !strings.Contains(got.body, part) {
			t.Errorf("the imported dashboard does not contain %s: %s", part, got.body)
		}
	}
	if got := f.do("GET", "/api/dashboards/uid/filled", f.viewer, ""); !strings.Contains(got.body, `"title":"7"`) || !strings.Contains(got.body, `"tags":["7"]`) {
		t.Errorf("the title is not filled: %+v", got)
	}
	if strings.Contains(got.body, "__inputs") {
		t.Errorf("the imported dashboard still declares inputs: %s", got.body)
	}
	testkit.Must(f.store.DeleteDashboard(t.Context(), org, "one"))(t)
	if again := summary(); !strings.HasPrefix(again, "one.json One false") {
		t.Errorf("after the deletion: %s", again)
	}
}

// A plugin may have more dashboards than a page lists, and files that are too large.
func TestOfferedDashboardBounds(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	dir := t.TempDir()
	var includes []string
	files := map[string]string{}
	for i := range gate.MaxOfferedDashboards + 1 {
		name := fmt.Sprintf("%03d.json", i)
		includes = append(includes, fmt.Sprintf(`{"type":"dashboard","path":%q}`, name))
		text := fmt.Sprintf(`{"uid":"u%d","title":"T"}`, i)
		if i == 1 {
			text += strings.Repeat(" ", gate.MaxDashboardFile)
		}
		files[name] = text
	}
	files["plugin.json"] = `{"id":"acme-boards-app","type":"app","name":"Boards","includes":[` + strings.Join(includes, ",") + `]}`
	testkit.WriteFiles(t, dir, files)
	f.mount(t, loader.Options{Dirs: []string{dir}})
	const list = "/api/plugins/acme-boards-app/dashboards"
	first, second := want[[]object](t, f, 200, "GET", list+"?limit=5000", f.viewer, ""), want[[]object](t, f, 200, "GET", list+"?limit=5000&page=2", f.viewer, "")
	if len(first) != gate.MaxOfferedDashboards || len(second) != 1 {
		t.Errorf("the pages have %d and %d dashboards", len(first), len(second))
	}
	if problem, _ := first[1]["error"].(string); !strings.Contains(problem, "001.json") || first[0]["error"] != nil {
		t.Errorf("the first two dashboards: %v", first[:2])
	}
}
