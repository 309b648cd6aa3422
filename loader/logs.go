package loader

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/slipway-dev/slipway/backend"
)

const (
	maxLogLine = 1 << 20 // bytes of one line that are kept
	tailLines  = 5       // remembered for the reason of a failed start
)

// logs turns a backend's standard error into records of the host's log. A line is
// hclog's JSON, which keeps its level and fields, or plain text.
type logs struct {
	logger *slog.Logger

	mu      sync.Mutex
	partial []byte
	cut     bool // the rest of the current line is dropped
	recent  []string
	panics  bool // inside the stack trace of a panic
}

func newLogs(logger *slog.Logger) *logs { return &logs{logger: logger} }

// Write takes any stretch of the stream; it never fails.
func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for rest := p; len(rest) > 0; {
		line, after, complete := bytes.Cut(rest, []byte{'\n'})
		if room := maxLogLine - len(l.partial); len(line) > room {
			line, l.cut = line[:room], true
		}
		l.partial = append(l.partial, line...)
		if complete {
			l.emit(l.partial, l.cut)
			l.partial, l.cut = l.partial[:0], false
		}
		rest = after
	}
	return len(p), nil
}

func (l *logs) emit(line []byte, cut bool) {
	text := strings.TrimRight(string(line), "\r")
	if strings.TrimSpace(text) == "" {
		return
	}
	inTrace := l.panics
	level, message, attrs := l.parse(text)
	if cut {
		attrs = append(attrs, slog.Bool("cut", true))
	}
	if !inTrace { // the stack says less than the panic before it
		l.recent = append(l.recent, shorten(message))
		if len(l.recent) > tailLines {
			l.recent = l.recent[1:]
		}
	}
	l.logger.LogAttrs(context.Background(), level, message, attrs...)
}

// parse reads one line. Text that is not JSON is a warning, since a backend that
// works writes none, and an error from the first line of a panic on.
func (l *logs) parse(text string) (slog.Level, string, []slog.Attr) {
	var fields map[string]any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&fields); err != nil || fields["@message"] == nil {
		if strings.HasPrefix(text, "panic: ") || strings.HasPrefix(text, "fatal error: ") {
			l.panics = true
		}
		if l.panics {
			return slog.LevelError, text, nil
		}
		return slog.LevelWarn, text, nil
	}
	name, _ := fields["@level"].(string)
	level, _ := backend.ParseLevel(name)
	message, _ := fields["@message"].(string)
	var attrs []slog.Attr
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if !strings.HasPrefix(key, "@") {
			attrs = append(attrs, slog.Any(key, fields[key]))
		}
	}
	return level, message, attrs
}

const maxQuote = 200 // bytes of a line that a reason quotes

func shorten(line string) string {
	if len(line) <= maxQuote {
		return line
	}
	return strings.ToValidUTF8(line[:maxQuote], "") + "..."
}

// tail returns the last lines in one.
func (l *logs) tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.recent, " | ")
}
