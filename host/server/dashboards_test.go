package server

import (
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/validate/inspect"
)

// TestDashboardsAsValidated requires that the host imports exactly the dashboards that validate
// accepts.
func TestDashboardsAsValidated(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, err := store.Open(t.Context(), store.Options{Database: filepath.Join(dir, "slipway.db"), Key: make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	s := &Server{store: db, log: slog.New(slog.DiscardHandler)}
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
		if err := os.WriteFile(filepath.Join(b.Dir, "board.json"), []byte(model), 0o644); err != nil {
			t.Fatal(err)
		}
		want := s.importDashboard(t.Context(), b, bundle.Include{Type: "dashboard", Path: "board.json", UID: uidOfEntry})
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
