package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"
)

// maxPrinted is how much of the output of a plugin is kept.
const maxPrinted = 4 << 20

// printed keeps what a plugin prints.
type printed struct {
	mu   sync.Mutex
	kept bytes.Buffer
}

// Write never fails, since that would hold up the plugin.
func (p *printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept.Write(b[:min(len(b), maxPrinted-p.kept.Len())])
	return len(b), nil
}

func (p *printed) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kept.String()
}

// provoke makes the calls after which a plugin is most likely to print something. It
// matters only to somebody who runs the check by itself.
func (s *subject) provoke(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second) // how the answers are is for others to say
	defer cancel()
	for _, c := range []call{callHealth, callQuery, callResource} {
		_ = s.make(ctx, c, s.context(1, 1), nil)
	}
	time.Sleep(250 * time.Millisecond) // what was printed comes by another way than answers
}

func stdoutSilent(ctx context.Context, s *subject) Verdict {
	s.provoke(ctx)
	text := s.stdout.text()
	if text == "" {
		return passed()
	}
	line, _, _ := strings.Cut(text, "\n")
	return failed("all calls of this run", fmt.Sprintf("%d bytes on standard output, which begin with %q", len(text), shorten(line, 120)),
		"print to standard error, or log; look for fmt.Print and for libraries that print")
}

func logsReadable(ctx context.Context, s *subject) Verdict {
	s.provoke(ctx)
	count := 0
	for line := range strings.Lines(s.stderr.text()) {
		if isEnd(line) {
			break // the check in which it died says so
		}
		if !strings.HasSuffix(line, "\n") || strings.TrimSpace(line) == "" {
			continue // not printed to its end yet
		}
		count++
		if fault := logFault(line); fault != "" {
			return failed("all calls of this run", fmt.Sprintf("%s: %q", fault, shorten(strings.TrimSpace(line), 160)),
				"log with the logger of the SDK, which writes one JSON object a line with @level, @message and @timestamp; a program that a plugin starts should not share its standard error")
		}
	}
	if count == 0 {
		return skipped("the plugin logged nothing")
	}
	return passed()
}

// logFault says what a host cannot read in a log line.
func logFault(line string) string {
	var fields map[string]any
	if err := json.Unmarshal([]byte(line), &fields); err != nil {
		return "a line on standard error is not a JSON object"
	}
	for _, name := range []string{"@level", "@message", "@timestamp"} {
		if _, isText := fields[name].(string); !isText {
			return "a log line has no " + name
		}
	}
	if _, known := levels()[strings.ToLower(fields["@level"].(string))]; !known {
		return "a log line has a level that no host knows"
	}
	if _, err := time.Parse("2006-01-02T15:04:05.999999999Z07:00", fields["@timestamp"].(string)); err != nil {
		return "a log line has a time that no host can read"
	}
	return ""
}

func levels() map[string]struct{} {
	return map[string]struct{}{"trace": {}, "debug": {}, "info": {}, "warn": {}, "error": {}}
}
