package api_test

import (
	"strings"
	"testing"
	"time"
)

const pluginURL = "/api/plugins/" + pluginID

type logRecord struct {
	Number         int64
	Level, Message string
	Fields         map[string]any
}

type pluginLog struct {
	Records []logRecord
	Dropped int
}

// logOf waits until the log of the plugin has a record.
func (f *fixture) logOf(t *testing.T, query string) []logRecord {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		got := want[pluginLog](t, f, 200, "GET", pluginURL+"/logs?"+query, f.admin, "")
		if len(got.Records) > 0 {
			return got.Records
		}
		if time.Now().After(deadline) {
			t.Fatalf("no record for %s", query)
		}
	}
}

func TestLogOfAPlugin(t *testing.T) {
	t.Parallel()
	f := withPlugin(t)
	f.do("GET", pluginURL+"/resources/log?text=Careful", f.viewer, "")
	got := f.logOf(t, "level=warn&text=cAREFUL")
	if len(got) != 1 || got[0].Level != "warn" || got[0].Message != "Careful" || got[0].Fields["pluginId"] != pluginID || got[0].Number == 0 {
		t.Errorf("got %+v", got)
	}
	for _, query := range []string{"level=error", "text=careless"} {
		if got := want[pluginLog](t, f, 200, "GET", pluginURL+"/logs?"+query, f.admin, ""); len(got.Records) > 0 {
			t.Errorf("%s: got %+v", query, got)
		}
	}
	if got := f.do("GET", pluginURL+"/logs?level=loud", f.admin, ""); got.status != 400 || !strings.Contains(got.message(), `must be trace, debug, info, warn or error, found "loud"`) {
		t.Errorf("an unknown level: %+v", got)
	}
	f.check(t, "as an editor", 403, "GET", pluginURL+"/logs", f.editor, "")
	f.check(t, "of an unknown plugin", 404, "GET", "/api/plugins/other/logs", f.admin, "")
}

// A panic of the backend is one record with its stack as lines.
func TestLogOfAPanic(t *testing.T) {
	t.Parallel()
	f := withPlugin(t)
	f.do("GET", pluginURL+"/resources/panic", f.viewer, "")
	got := f.logOf(t, "text=panicked")
	lines := strings.Split(got[0].Message, "\n")
	if len(got) != 1 || got[0].Level != "error" || !strings.HasPrefix(lines[0], "panic: it (") || lines[1] != "\tpanicked" && lines[1] != "panicked" || !strings.Contains(got[0].Message, "\ngoroutine ") {
		t.Errorf("got %d records: %+v", len(got), got)
	}
	if all := want[pluginLog](t, f, 200, "GET", pluginURL+"/logs?text=goroutine", f.admin, ""); len(all.Records) != 1 {
		t.Errorf("the panic has %d records: %+v", len(all.Records), all.Records)
	}
}
