package api_test

import (
	"encoding/json"
	"net/http/httptest"
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
	for _, query := range []string{"level=error", "text=careless", "text=careless&follow=False", "text=careless&follow=0"} {
		if got := want[pluginLog](t, f, 200, "GET", pluginURL+"/logs?"+query, f.admin, ""); len(got.Records) > 0 {
			t.Errorf("%s: got %+v", query, got)
		}
	}
	for _, query := range []string{"level=loud", "level=loud&follow"} {
		if got := f.do("GET", pluginURL+"/logs?"+query, f.admin, ""); got.status != 400 || !strings.Contains(got.message(), `must be trace, debug, info, warn or error, found "loud"`) {
			t.Errorf("%s: %+v", query, got)
		}
	}
	for _, path := range []string{"/logs", "/logs?follow"} {
		f.check(t, "as an editor", 403, "GET", pluginURL+path, f.editor, "")
		f.check(t, "of an unknown plugin", 404, "GET", "/api/plugins/other"+path, f.admin, "")
	}
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

func TestFollowedLog(t *testing.T) {
	t.Parallel()
	f := withPlugin(t)
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	t.Cleanup(f.EndStreams) // or the server would wait for them
	next := func(s stream, text string) logRecord {
		t.Helper()
		for {
			event := s.next(t)
			if _, data, ok := strings.Cut(event, "data: "); ok {
				var r logRecord
				if err := json.Unmarshal([]byte(data), &r); err != nil {
					t.Fatal(err)
				}
				if r.Message != text {
					t.Fatalf("got %+v, want %s", r, text)
				}
				return r
			}
		}
	}
	f.do("GET", pluginURL+"/resources/log?text=pick-1", f.viewer, "")
	f.logOf(t, "text=pick-1")
	s := open(t, server, pluginURL+"/logs?follow&text=pick&level=warn", f.admin, "")
	if s.StatusCode != 200 || s.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%s %v", s.Status, s.Header)
	}
	next(s, "pick-1")
	f.do("GET", pluginURL+"/resources/log?text=other", f.viewer, "")
	f.do("GET", pluginURL+"/resources/log?text=pick-2", f.viewer, "")
	next(s, "pick-2")

	first := f.logOf(t, "text=pick-1")[0]
	again := open(t, server, pluginURL+"/logs?follow=true&text=pick", f.admin, jsonOf(t, first.Number))
	next(again, "pick-2")

	refused := 0
	for range 20 {
		if s := open(t, server, pluginURL+"/logs?follow", f.admin, ""); s.StatusCode == 503 {
			refused++
		}
	}
	if refused != 20-6 {
		t.Errorf("%d of 20 more followers were refused", refused)
	}
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	b := must(json.Marshal(v))(t)
	return string(b)
}
