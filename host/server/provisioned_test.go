package server

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/host/provisioning"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// writeProvisioning writes a file of a provisioning directory and gives it another time, since
// file systems may have coarse ones.
func writeProvisioning(t *testing.T, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, name)
	testkit.WriteFile(t, name, text)
	later := time.Now().Add(time.Duration(len(text)) * time.Second)
	testkit.OK(t, os.Chtimes(name, later, later))
}

func TestProvisioningFiles(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	dir := t.TempDir()
	const one = "  - {name: One, uid: one, type: acme-x-datasource, url: 'http://a', secureJsonData: {token: $TOKEN}}\n"
	writeProvisioning(t, dir, "datasources/a.yaml", "apiVersion: 1\nprune: true\ndatasources:\n"+one+
		"  - {name: Two, type: acme-x-datasource, editable: true}\n")
	writeProvisioning(t, dir, "plugins/apps.yaml", "apiVersion: 1\napps:\n  - {type: acme-y-app, jsonData: {a: 1}}\n")
	writeProvisioning(t, dir, "dashboards/all.yaml", "apiVersion: 1\nproviders:\n"+
		"  - {name: all, folder: Top, allowUiUpdates: true, options: {path: /etc/grafana/provisioning/dashboards}}\n  - {name: fixed, folder: Fixed, options: {path: fixed}}\n")
	writeProvisioning(t, dir, "fixed/fixed.json", `{"uid": "fixed", "title": "Fixed"}`)
	writeProvisioning(t, dir, "dashboards/board.json", `{"uid": "board", "title": "Board"}`)
	o := testOptions(t)
	o.Provisioning, o.Environ = dir, []string{"TOKEN=old", "TOKEN=s3cret"}
	s := open(t, o)

	d, err := s.store.Unlock(ctx, store.MainOrg, "one")
	if err != nil || d.URL != "http://a" || d.Secrets["token"] != "s3cret" || d.Version != 1 {
		t.Fatalf("data source %+v, %v", d, err)
	}
	two := testkit.Must(s.store.DataSourceByName(ctx, store.MainOrg, "Two"))(t)
	app, err := s.store.AppSettings(ctx, store.MainOrg, "acme-y-app")
	if err != nil || string(app.JSON) != `{"a":1}` {
		t.Errorf("app %+v, %v", app, err)
	}
	board, err := s.store.Dashboard(ctx, store.MainOrg, "board")
	if err != nil || board.FolderTitle != "Top" {
		t.Errorf("dashboard %+v, %v", board, err)
	}
	if f, err := s.store.Folder(ctx, store.MainOrg, board.FolderUID); err != nil || f.CreatedBy != "provisioning" || f.UpdatedBy != "provisioning" {
		t.Errorf("folder %+v, %v", f, err)
	}

	do := func(method, path, body string) (int, string) {
		t.Helper()
		h := tellerHost{T: t, Server: s}
		got, text := h.send(method, path, h.basic(), body)
		return got.StatusCode, text
	}
	const change = `{"name": "One", "type": "acme-x-datasource", "url": "http://a"}`
	for _, call := range [][3]string{{"PUT", "/api/datasources/uid/one", change}, {"DELETE", "/api/datasources/uid/one", ""}} {
		if status, text := do(call[0], call[1], call[2]); status != http.StatusForbidden || !strings.Contains(text, "datasources/a.yaml") {
			t.Errorf("%s of a provisioned data source: %d %s", call[0], status, text)
		}
	}
	if _, text := do("GET", "/api/datasources/uid/one", ""); !strings.Contains(text, `"readOnly":true`) {
		t.Error(text)
	}
	if status, text := do("PUT", "/api/datasources/uid/"+two.UID, `{"name": "Two", "type": "acme-x-datasource", "database": "db"}`); status != 200 || !strings.Contains(text, `"readOnly":false`) {
		t.Errorf("change of an editable data source: %d %s", status, text)
	}

	// A dashboard can be changed only if its provider allows it, whatever names it.
	fixed := testkit.Must(s.store.Dashboard(ctx, store.MainOrg, "fixed"))(t)
	for _, call := range [][3]string{
		{"POST", "/api/dashboards/db", `{"dashboard": {"uid": "fixed", "title": "Edited"}, "overwrite": true}`},
		{"POST", "/api/dashboards/db", fmt.Sprintf(`{"dashboard": {"id": %d, "title": "Edited"}, "overwrite": true}`, fixed.ID)},
		{"POST", "/api/dashboards/import", `{"dashboard": {"uid": "fixed", "title": "Edited"}, "overwrite": true}`},
		{"DELETE", "/api/folders/" + fixed.FolderUID, ""},
		{"DELETE", "/api/dashboards/uid/fixed", ""},
	} {
		if status, text := do(call[0], call[1], call[2]); status != http.StatusForbidden || !strings.Contains(text, "fixed/fixed.json") {
			t.Errorf("%s %s of a provisioned dashboard: %d %s", call[0], call[2], status, text)
		}
	}
	for uid, want := range map[string]string{"fixed": `"provisioned":true,"provisionedExternalId":"fixed/fixed.json","canEdit":false`, "board": `"provisioned":false,"provisionedExternalId":"","canEdit":true`} {
		if _, text := do("GET", "/api/dashboards/uid/"+uid, ""); !strings.Contains(text, want) {
			t.Errorf("%s: %s", uid, text)
		}
	}

	// An edited dashboard stays until its file changes.
	if status, text := do("POST", "/api/dashboards/db", `{"dashboard": {"uid": "board", "title": "Edited"}, "overwrite": true}`); status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	// An invalid file changes nothing.
	writeProvisioning(t, dir, "datasources/a.yaml", "apiVersion: 1\ndatasources: [\n")
	s.files.applyAgain(ctx)
	if list, err := s.store.DataSources(ctx, store.MainOrg, nil, store.Page{}); err != nil || len(list) != 2 {
		t.Fatalf("after an invalid change: %+v, %v", list, err)
	}
	// A data source that the files no longer describe is deleted because of prune, and the
	// address of the other one changes without its secret.
	writeProvisioning(t, dir, "datasources/a.yaml", "apiVersion: 1\nprune: true\ndatasources:\n"+strings.ReplaceAll(one, "http://a", "http://b"))
	s.files.applyAgain(ctx)
	list, err := s.store.DataSources(ctx, store.MainOrg, nil, store.Page{})
	if err != nil || len(list) != 1 || list[0].URL != "http://b" || list[0].Version != 2 {
		t.Errorf("after a change: %+v, %v", list, err)
	}
	if board, err := s.store.Dashboard(ctx, store.MainOrg, "board"); err != nil || board.Title != "Edited" {
		t.Errorf("edited dashboard: %+v, %v", board, err)
	}

	// A file that is saved in part does not delete its dashboard.
	writeProvisioning(t, dir, "dashboards/board.json", `{"uid": "board",`)
	s.files.applyAgain(ctx)
	if board, err := s.store.Dashboard(ctx, store.MainOrg, "board"); err != nil || board.Title != "Edited" {
		t.Errorf("dashboard of an invalid file: %+v, %v", board, err)
	}

	// The state outlives the host: a dashboard is deleted with its file, and a data source of
	// a file without prune stays and can be changed.
	testkit.OK(t, s.Close())
	testkit.OK(t, os.Remove(filepath.Join(dir, "dashboards/board.json")))
	writeProvisioning(t, dir, "datasources/a.yaml", "apiVersion: 1\ndatasources:\n"+strings.ReplaceAll(one, "http://a", "http://b"))
	s = open(t, o)
	if board, err := s.store.Dashboard(ctx, store.MainOrg, "board"); err == nil {
		t.Errorf("the dashboard without a file is still there: %+v", board)
	}
	if d, err := s.store.DataSource(ctx, store.MainOrg, "one"); err != nil || d.Version != 2 {
		t.Errorf("unchanged data source: %+v, %v", d, err)
	}
	writeProvisioning(t, dir, "datasources/a.yaml", "apiVersion: 1\n")
	s.files.applyAgain(ctx)
	if status, text := do("PUT", "/api/datasources/uid/one", strings.ReplaceAll(change, "http://a", "http://b")); status != 200 {
		t.Errorf("change after the file was emptied: %d %s", status, text)
	}
	writeProvisioning(t, dir, "datasources/a.yaml", "apiVersion: 1\ndeleteDatasources: [{name: One}]\n")
	s.files.applyAgain(ctx)
	if list, err := s.store.DataSources(ctx, store.MainOrg, nil, store.Page{}); err != nil || len(list) != 0 {
		t.Errorf("after deleteDatasources: %+v, %v", list, err)
	}
}

// Playlists follow their files, and what is exported is such a file. Two hosts that share a store may apply them at once.
func TestProvisionedPlaylists(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const head, item = "apiVersion: 1\nprune: true\nplaylists:\n", "  - {uid: one, name: One, interval: 5m, items: [{type: dashboard_by_tag, value: a}, {type: dashboard_by_uid, value: b}]}\n"
	writeProvisioning(t, dir, "playlists/a.yaml", head+item+"  - {uid: two, name: Two, interval: 1h}\n")
	o := testOptions(t)
	o.Provisioning = dir
	s := open(t, o)
	exported := func() string {
		t.Helper()
		h := tellerHost{T: t, Server: s}
		got, text := h.send("GET", "/api/v1/provisioning/playlists/export", h.basic(), "")
		if got.StatusCode != 200 || got.Header.Get("Content-Type") != "application/yaml" {
			t.Fatalf("%d %v %s", got.StatusCode, got.Header, text)
		}
		return text
	}
	before := exported()
	if !strings.Contains(before, "uid: one") || !strings.Contains(before, "uid: two") || strings.Index(before, "value: a") > strings.Index(before, "value: b") {
		t.Error(before)
	}
	one := testkit.Must(s.store.Playlist(t.Context(), store.MainOrg, "one"))(t)
	s.files.applyAgain(t.Context())
	if diff := cmp.Diff(one, testkit.Must(s.store.Playlist(t.Context(), store.MainOrg, "one"))(t)); diff != "" {
		t.Errorf("applied again without a change: %s", diff)
	}
	writeProvisioning(t, dir, "playlists/a.yaml", head+strings.ReplaceAll(item, "5m", "7m"))
	s.files.applyAgain(t.Context())
	if after := exported(); !strings.Contains(after, "interval: 7m") || strings.Contains(after, "two") {
		t.Errorf("changed and pruned:\n%s", after)
	}
	writeProvisioning(t, dir, "playlists/a.yaml", before)
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() { // as two hosts do
			c, err := provisioning.Read(dir, provisioning.Options{})
			if err == nil {
				_, err = provisioning.Apply(t.Context(), s.store, administrator("provisioning"), c, provisioning.State{})
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if after := exported(); after != before {
		t.Errorf("exported and imported:\n%s\nbefore:\n%s", after, before)
	}
	writeProvisioning(t, dir, "playlists/a.yaml", "apiVersion: 1\ndeletePlaylists: [{uid: one}, {uid: gone}]\n")
	s.files.applyAgain(t.Context())
	if after := exported(); strings.Contains(after, "one") || !strings.Contains(after, "two") {
		t.Errorf("deletePlaylists:\n%s", after)
	}
}

func TestProvisioningFailsAtStart(t *testing.T) {
	t.Parallel()
	o := testOptions(t)
	o.Provisioning = t.TempDir()
	writeProvisioning(t, o.Provisioning, "datasources/a.yaml", "apiVersion: 1\ndatasources:\n  - {type: x}\n")
	if _, err := Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), "datasources/a.yaml:3:5: name is required") {
		t.Errorf("error: %v", err)
	}
	o.LaxProvisioning = true
	open(t, o)
}

// A host whose key is lost does not start with a new one, even if the files have the secrets: others of
// the database would stay encrypted.
func TestProvisioningAfterLossOfKey(t *testing.T) {
	t.Parallel()
	o := testOptions(t)
	o.Provisioning = t.TempDir()
	writeProvisioning(t, o.Provisioning, "datasources/a.yaml", "apiVersion: 1\ndatasources:\n  - {name: One, uid: one, type: x, secureJsonData: {a: b}}\n")
	s := testkit.Must(Open(t.Context(), o))(t)
	testkit.OK(t, s.Close(), os.Remove(filepath.Join(o.DataDir, "secret.key")))
	if s, err := Open(t.Context(), o); !errors.Is(err, store.ErrKey) {
		t.Errorf("without its key: %v, %v", s, err)
	}
}

// A file that is being written is not read.
func TestProvisioningWaitsForWriter(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const text = "apiVersion: 1\ndatasources:\n  - {name: A, type: x}\n"
	writeProvisioning(t, dir, "datasources/a.yaml", text)
	o := testOptions(t)
	o.Provisioning = dir
	f := &open(t, o).files
	for n, want := range []bool{false, false, true} {
		if n < 2 {
			writeProvisioning(t, dir, "datasources/a.yaml", text[:n])
		}
		if got := f.isDue(); got != want {
			t.Errorf("look %d: due %t, want %t", n+1, got, want)
		}
	}
}

// What is provisioned for a plugin that is not there, and a directory without plugins, are logged once,
// and so are files that have not changed.
func TestWarningsAboutWhatIsMissing(t *testing.T) {
	t.Parallel()
	dir, plugins := t.TempDir(), t.TempDir()
	writeProvisioning(t, dir, "datasources/a.yaml", "apiVersion: 1\ndatasources:\n  - {name: A, type: acme-sd-datasource}\n  - {name: B, type: datasource}\n")
	var log output
	o := testOptions(t)
	o.Provisioning, o.LaxProvisioning, o.PluginDirs, o.Logger = dir, true, []string{plugins}, slog.New(slog.NewTextHandler(&log, nil))
	s := open(t, o)
	for range 2 {
		testkit.OK(t, s.Mount(t.Context()))
	}
	for text, want := range map[string]int{"file=datasources/a.yaml name=A type=acme-sd-datasource": 1, "a.yaml name=B": 0, "no plugins found": 1, "provisioning files applied": 1} {
		if n := strings.Count(log.String(), text); n != want {
			t.Errorf("%d lines with %q, want %d:\n%s", n, text, want, log.String())
		}
	}
}
