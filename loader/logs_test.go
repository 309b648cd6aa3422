package loader

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// logged returns the records of what a backend prints, without their numbers and
// times.
func logged(t *testing.T, text string) []Record {
	t.Helper()
	records := newRecords(slog.New(slog.DiscardHandler))
	l := &logWriter{records: records}
	for part := range strings.SplitAfterSeq(text, "e") { // as pipes may split it
		testkit.Must(io.WriteString(l, part))(t)
	}
	l.tail()
	got, _ := (&Plugin{records: records}).Logs()
	for i := range got {
		if got[i].Number != uint64(i+1) || got[i].Time.IsZero() {
			t.Errorf("record %d has number %d and time %s", i, got[i].Number, got[i].Time)
		}
		got[i].Number, got[i].Time = 0, time.Time{}
	}
	return got
}

const trace = `panic: oh
	panic: again

goroutine 1 [running]:
main.(*source).query(0xc000012345, {0x1, 0x2})
	/src/main.go:12 +0x1d
main.main()
	/src/main.go:7 +0x25
exit status 2`

// placed is the message of a record with the trace.
var placed = strings.Replace(trace, "panic: oh", "panic: oh (/src/main.go:12)", 1)

func TestFormatsOfLogs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []Record
	}{
		"hclog JSON": {
			`{"@level":"debug","@message":"split","@timestamp":"2026-01-01T00:00:00.0Z","n":1,"s":"x"}` + "\n",
			[]Record{{Level: slog.LevelDebug, Message: "split", Fields: []byte(`{"n":1,"s":"x"}`)}},
		},
		"slog JSON": {
			`{"time":"2026-01-01T00:00:00Z","level":"ERROR+1","msg":"m","g":{"a":[1]}}` + "\n",
			[]Record{{Level: slog.LevelError + 1, Message: "m", Fields: []byte(`{"g":{"a":[1]}}`)}},
		},
		"zerolog":                {`{"level":"panic","message":"m"}` + "\n", []Record{{Level: slog.LevelError, Message: "m"}}},
		"JSON that is no record": {`{"a":1}` + "\n", []Record{{Level: slog.LevelWarn, Message: `{"a":1}`}}},
		"plain": {
			"one\r\n\ntwo\n  indented\n\n\tdeeper\nthree\n",
			[]Record{{Level: slog.LevelWarn, Message: "one"}, {Level: slog.LevelWarn, Message: "two\n  indented\n\n\tdeeper"}, {Level: slog.LevelWarn, Message: "three"}},
		},
		"panic": {"before\n" + trace + "\n", []Record{{Level: slog.LevelWarn, Message: "before"}, {Level: slog.LevelError, Message: placed}}},
		"panic beside another goroutine": {
			strings.Replace(trace, "main.main()", `{"@level":"info","@message":"still here"}`+"\nmain.main()", 1) + "\n",
			[]Record{{Message: "still here"}, {Level: slog.LevelError, Message: placed}},
		},
		"recovered panic of net/http": {
			"2026/01/01 http: panic serving 127.0.0.1:1: oh\ngoroutine 5 [running]:\nnet/http.(*conn).serve.func1()\n\t/go/server.go:1 +0xb\npanic({0x1?, 0x2?})\n\t/go/panic.go:1 +0x1\ncreated by net/http.(*Server).Serve in goroutine 1\n\t/go/server.go:2 +0x1\nready again\n",
			[]Record{
				{Level: slog.LevelError, Message: "2026/01/01 http: panic serving 127.0.0.1:1: oh\ngoroutine 5 [running]:\nnet/http.(*conn).serve.func1()\n\t/go/server.go:1 +0xb\npanic({0x1?, 0x2?})\n\t/go/panic.go:1 +0x1\ncreated by net/http.(*Server).Serve in goroutine 1\n\t/go/server.go:2 +0x1"},
				{Level: slog.LevelWarn, Message: "ready again"},
			},
		},
		"panic that the SDK recovered": {
			`{"@level":"error","@message":"a handler panicked","panic":"oh","stack":"goroutine 5 [running]:\nruntime/debug.Stack()\n\truntime/debug/stack.go:1 +0x1\nmain.f()\n\ta.b/c/main.go:12 +0x1\n","refId":"A"}` + "\n",
			[]Record{{Level: slog.LevelError, Message: "a handler panicked: oh (a.b/c/main.go:12)\nmain.f()\n\ta.b/c/main.go:12 +0x1", Fields: []byte(`{"refId":"A"}`)}},
		},
		"not UTF-8": {"a\xffb\n", []Record{{Level: slog.LevelWarn, Message: "a\uFFFDb"}}},
		"long line": {
			strings.Repeat("z", maxLogLine+5) + "\nafter\n",
			[]Record{{Level: slog.LevelWarn, Message: strings.Repeat("z", maxMessage), IsCut: true}, {Level: slog.LevelWarn, Message: "after"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, logged(t, c.text)); diff != "" {
				t.Errorf("records (-want +got):\n%.4000s", diff)
			}
		})
	}
}

// Lines that nothing follows become a record without another line.
func TestPlainLinesDoNotWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &Plugin{records: newRecords(slog.New(slog.DiscardHandler))}
		_, _ = io.WriteString(&logWriter{records: p.records}, "alone\n")
		time.Sleep(2 * lineGap)
		if recent, _ := p.Logs(); len(recent) != 1 || recent[0].Message != "alone" {
			t.Errorf("got %+v", recent)
		}
	})
}

func TestRecordsAreBounded(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 100, 10_000, maxMessage} {
		l := newRecords(slog.New(slog.DiscardHandler))
		for i := range 3 * maxRecords {
			l.add(time.Unix(int64(i/(byteRate/leastBytes)), 0), entry{message: strings.Repeat("m", size)})
		}
		total := 0
		for i, r := range l.kept {
			total += r.size()
			if i > 0 && r.Number != l.kept[i-1].Number+1 {
				t.Fatalf("record %d follows %d", r.Number, l.kept[i-1].Number)
			}
		}
		if n := len(l.kept); n == 0 || n > maxRecords || total > maxRecordBytes || total != l.bytes {
			t.Errorf("messages of %d bytes: kept %d records with %d bytes, counted as %d", size, n, total, l.bytes)
		}
	}
}

// What exceeds the rate is dropped with one note in each second, and errors are not dropped
// because of other records.
func TestRateOfRecords(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 100 << 10} {
		var host strings.Builder
		p := &Plugin{records: newRecords(slog.New(slog.NewTextHandler(&host, nil)))}
		most := byteRate / max(size, leastBytes)
		for second := range 2 {
			now := time.Unix(int64(second), 0)
			for range most + 7 {
				p.records.add(now, entry{message: "m", size: size})
			}
			p.records.add(now, entry{level: slog.LevelError, message: fmt.Sprint("panic ", second)})
		}
		recent, dropped := p.Logs()
		if dropped != 14 || recent[len(recent)-1].Message != "panic 1" {
			t.Errorf("dropped %d records of %d bytes, and the last one is %+v", dropped, size, recent[len(recent)-1])
		}
		if n, notes := strings.Count(host.String(), "\n"), strings.Count(host.String(), droppingText); n != 2*(most+2) || notes != 2 {
			t.Errorf("the host logged %d lines and %d notes", n, notes)
		}
	}
}

// A line like the first one of a panic does not turn what the process prints after a pause
// into errors.
func TestPlainLinesAfterACaughtPanic(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &Plugin{records: newRecords(slog.New(slog.DiscardHandler))}
		l := &logWriter{records: p.records}
		_, _ = io.WriteString(l, "panic: caught\nits second line\n")
		time.Sleep(2 * crashGap)
		_, _ = io.WriteString(l, "after a pause\n")
		l.tail()
		recent, _ := p.Logs()
		if len(recent) != 2 || recent[0].Message != "panic: caught\nits second line" || recent[0].Level != slog.LevelError || recent[1].Level != slog.LevelWarn {
			t.Errorf("got %+v", recent)
		}
	})
}
