package preview

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestAnswers records what plugins answer, and replays it without them.
func TestAnswers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	day := time.Date(2026, 3, 4, 5, 6, 7, 8, time.UTC)
	use := func(a *Answers, err error) error {
		if f.Answers = a; err == nil {
			t.Cleanup(func() { _ = a.Close() })
		}
		return err
	}
	if err := use(ReplayAnswers(f.Repo.Root)); err == nil || !strings.Contains(err.Error(), "no answers are recorded in previews/answers") {
		t.Errorf("replay of nothing: %v", err)
	}
	query := func(at, text string) string {
		return `{"from": "` + at + `", "queries": [{"refId": "A", "intervalMs": ` + at[:4] + `, "text": "` + text + `", "sql": "t > ` + at + `"}]}`
	}
	calls := []struct {
		method, path, body string
		status             int
		kind, answer       string
	}{
		{"POST", "/api/ds/query?requestId=1", query("1768478400000", "rows"), 200, "application/json", `{"results": {"A": {"frames": []}}}`},
		{"GET", "/api/datasources/proxy/uid/x/picture", "", 200, "image/png", "\x89PNG\r\n\xff"},
		{"GET", "/api/plugins/acme-x-panel/resources/a%2Fb?c=d", "", 404, "text/plain", "no such thing"},
		{"GET", "/api/datasources/uid/x/health", "", 204, "", ""},
	}
	f.API = func(string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for _, c := range calls {
				if body, _ := io.ReadAll(r.Body); r.URL.RequestURI() == c.path {
					if string(body) != c.body || r.Header.Get("Accept-Encoding") != "" {
						t.Errorf("%s has the body %s and the headers %v", c.path, body, r.Header)
					}
					w.Header().Set("Content-Type", c.kind)
					w.Header().Set("X-Secret", "s")
					w.WriteHeader(c.status)
					_, _ = io.WriteString(w, c.answer)
				}
			}
		})
	}
	dense := func(text string) string { return strings.Join(strings.Fields(text), "") }
	send := func(how string) {
		t.Helper()
		for _, c := range calls {
			got := f.do(c.method, c.path, c.body, "Accept-Encoding: gzip")
			if got.Code != c.status || got.Header().Get("Content-Type") != c.kind || dense(got.Body.String()) != dense(c.answer) {
				t.Errorf("%s: %s: %d, %q", how, c.path, got.Code, got.Body)
			}
		}
	}
	testkit.OK(t, use(RecordAnswers(f.Repo.Root)))
	testkit.OK(t, f.Answers.Restart(day))
	send("recorded")
	f.do("GET", "/api/user", "")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	canceled := httptest.NewRequestWithContext(gone, "GET", "http://localhost:4000/api/plugins/acme-x-panel/health", nil)
	canceled.Header.Set("X-Preview-Token", token)
	f.ServeHTTP(httptest.NewRecorder(), canceled)
	if n := f.Answers.Recorded(); n != len(calls) {
		t.Errorf("%d answers recorded, want %d", n, len(calls))
	}
	day = day.AddDate(1, 0, 0)
	testkit.OK(t, use(ReplayAnswers(f.Repo.Root)))
	if want := "2026-03-04T05:06:00Z"; f.Answers.Clock.Format(time.RFC3339) != want || !strings.Contains(f.do("GET", "/", "").Body.String(), `"clock":1772600760000`) {
		t.Errorf("the clock is %s, want %s", f.Answers.Clock, want)
	}
	f.API = func(string) http.Handler { return http.NotFoundHandler() }
	send("replayed")
	for later, want := range map[string]int{query("1800000000000", "rows"): 200, query("1768478400000", "others"): 502} {
		if got := f.do("POST", "/api/ds/query?requestId=1", later); got.Code != want {
			t.Errorf("%s: %d %s, want %d", later, got.Code, got.Body, want)
		}
	}
	dir := filepath.Join(f.Repo.Root, filepath.FromSlash(AnswersDir))
	files, err := filepath.Glob(filepath.Join(dir, "datasources-uid-x-health-*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	testkit.WriteFiles(t, dir, map[string]string{filepath.Base(files[0]): `{"status": 200, "type": "application/json", "answer": {"json": {"status": "edited"}}}`})
	if got := f.do("GET", "/api/datasources/uid/x/health", ""); !strings.Contains(got.Body.String(), "edited") {
		t.Errorf("an edited answer: %d %s", got.Code, got.Body)
	}
	testkit.WriteFiles(t, dir, map[string]string{filepath.Base(files[0]): `{"status": 7}`, "mine.json": "{}"})
	if got := f.do("GET", "/api/datasources/uid/x/health", ""); got.Code != 502 || !strings.Contains(got.Body.String(), "datasources-uid-x-health") {
		t.Errorf("a broken answer: %d %s", got.Code, got.Body)
	}
	testkit.OK(t, use(RecordAnswers(f.Repo.Root)))
	for _, adds := range []bool{true, false} {
		want := 2 // the clock, and a file of somebody else
		if adds {
			want += len(calls)
		} else if err := f.Answers.Restart(day); err != nil {
			t.Fatal(err)
		}
		if list, err := os.ReadDir(dir); err != nil || len(list) != want {
			t.Errorf("recording adds: %t: %d files, want %d; %v", adds, len(list), want, err)
		}
	}
}
