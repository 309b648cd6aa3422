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
	tailLines  = 5       // kept for the error of a failed start
)

// logWriter turns a backend's standard error into records of the host's log. A line is
// hclog's JSON, whose level and fields are kept, or plain text.
type logWriter struct {
	logger *slog.Logger

	mu      sync.Mutex
	partial []byte
	isCut   bool // the rest of the current line is dropped
	recent  []string
	inTrace bool // inside the stack trace of a panic
}

// Write accepts any part of the stream; it never fails.
func (l *logWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for rest := p; len(rest) > 0; {
		line, after, complete := bytes.Cut(rest, []byte{'\n'})
		if room := maxLogLine - len(l.partial); len(line) > room {
			line, l.isCut = line[:room], true
		}
		l.partial = append(l.partial, line...)
		if complete {
			l.emit(l.partial, l.isCut)
			l.partial, l.isCut = l.partial[:0], false
		}
		rest = after
	}
	return len(p), nil
}

func (l *logWriter) emit(line []byte, isCut bool) {
	text := strings.TrimRight(string(line), "\r")
	if strings.TrimSpace(text) == "" {
		return
	}
	wasInTrace := l.inTrace
	level, message, attrs := l.parse(text)
	if isCut {
		attrs = append(attrs, slog.Bool("cut", true))
	}
	if !wasInTrace { // the panic before it is more useful than the stack
		l.recent = append(l.recent, shorten(message))
		if len(l.recent) > tailLines {
			l.recent = l.recent[1:]
		}
	}
	l.logger.LogAttrs(context.Background(), level, message, attrs...)
}

// parse reads one line. Text that is not JSON is a warning, since a working backend
// writes none, and an error from the first line of a panic on.
func (l *logWriter) parse(text string) (slog.Level, string, []slog.Attr) {
	var fields map[string]any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&fields); err != nil || fields["@message"] == nil {
		if strings.HasPrefix(text, "panic: ") || strings.HasPrefix(text, "fatal error: ") {
			l.inTrace = true
		}
		if l.inTrace {
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

const maxQuote = 200 // bytes of a line that an error quotes

func shorten(line string) string {
	if len(line) <= maxQuote {
		return line
	}
	return strings.ToValidUTF8(line[:maxQuote], "") + "..."
}

// tail returns the last lines on one line.
func (l *logWriter) tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.recent, " | ")
}
