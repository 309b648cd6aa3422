package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/internal/text"
)

const maxOutput = 4 << 20

type output struct {
	mu   sync.Mutex
	kept bytes.Buffer
}

// Write never fails, since that would hold up the plugin.
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.kept.Write(b[:min(len(b), maxOutput-o.kept.Len())])
	return len(b), nil
}

func (o *output) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.kept.String()
}

// provoke makes the calls during which a plugin is most likely to print something. It
// matters only if the other checks did not run.
func (s *subject) provoke(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second) // other checks judge the replies
	defer cancel()
	for _, c := range []call{callHealth, callQuery, callResource} {
		_ = s.do(ctx, c, s.context(1, 1), nil)
	}
	time.Sleep(250 * time.Millisecond) // output may arrive later than responses
}

const allCalls = "all calls of this run"

func stdoutSilent(ctx context.Context, s *subject, _ []call) Verdict {
	s.provoke(ctx)
	printed := s.stdout.text()
	if printed == "" {
		return passed()
	}
	line, _, _ := strings.Cut(printed, "\n")
	return failed(allCalls, fmt.Sprintf("standard output starts with %q (bytes in total: %d)", text.Shorten(line, 120), len(printed)),
		"print to standard error, or log; look for fmt.Print and for libraries that print")
}

func logsReadable(ctx context.Context, s *subject, _ []call) Verdict {
	s.provoke(ctx)
	count := 0
	for line := range strings.Lines(s.stderr.text()) {
		if text.IsPanic(line) {
			break // the check that caused the crash reports it
		}
		if !strings.HasSuffix(line, "\n") || strings.TrimSpace(line) == "" {
			continue // incomplete
		}
		count++
		if problem := logProblem(line); problem != "" {
			return failed(allCalls, fmt.Sprintf("%s: %q", problem, text.Shorten(strings.TrimSpace(line), 160)),
				"log with the SDK's logger, which writes one JSON object per line with @level, @message and @timestamp; look for fmt.Print, and "+
					"do not share standard error with programs that the plugin starts")
		}
	}
	if count == 0 {
		return skipped("the plugin logged nothing")
	}
	return passed()
}

// logProblem returns why a host cannot read a log line, or "".
func logProblem(line string) string {
	var fields map[string]any
	if err := json.Unmarshal([]byte(line), &fields); err != nil {
		return "a line on standard error is not a JSON object"
	}
	for _, name := range []string{"@level", "@message", "@timestamp"} {
		if _, isString := fields[name].(string); !isString {
			return "a log line has no " + name
		}
	}
	if !slices.Contains([]string{"trace", "debug", "info", "warn", "error"}, strings.ToLower(fields["@level"].(string))) {
		return "a log line has an unknown @level"
	}
	if _, err := time.Parse("2006-01-02T15:04:05.999999999Z07:00", fields["@timestamp"].(string)); err != nil {
		return "a log line has an invalid @timestamp"
	}
	return ""
}
