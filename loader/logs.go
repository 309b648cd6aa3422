package loader

import (
	"bytes"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/internal/text"
)

const (
	maxLogLine = 1 << 20 // bytes of one line, or of several that make one record, that are kept
	tailLines  = 5       // kept for the error of a failed start

	// lineGap is how long the first lines of an entry wait for the next one, and crashGap those of
	// a crash, which a busy machine prints slowly.
	lineGap  = 250 * time.Millisecond
	crashGap = 3 * time.Second
)

// logWriter turns the output of a backend into records. A line of a structured log is one
// record; see parseLine. Any other line is a warning, since a working backend prints none,
// together with the indented lines and the stack trace that follow it. A panic is one
// record of level error.
type logWriter struct {
	records *records

	mu      sync.Mutex
	partial []byte
	isCut   bool // the rest of the current line is dropped
	recent  []string
	pending *entry          // plain lines that the next one may continue
	text    strings.Builder // the message of pending
	isTrace bool            // pending contains a stack trace
	isCrash bool            // the process is printing a crash
	flush   *time.Timer     // makes pending a record; nil before the first
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
			l.line(strings.ToValidUTF8(strings.TrimRight(string(l.partial), "\r"), "\uFFFD"))
			l.partial, l.isCut = l.partial[:0], false
		}
		rest = after
	}
	return len(p), nil
}

// line handles a line without its line break.
func (l *logWriter) line(line string) {
	if e, ok := parseLine(line); ok {
		if !l.isCrash { // other goroutines may log while a panic is printed
			l.end()
		}
		e.isCut, e.size = l.isCut, len(line)
		e.showStack()
		first, _, _ := strings.Cut(e.withPanic(), "\n")
		l.remember(first)
		l.records.add(time.Now(), e)
		return
	}
	isBlank := strings.TrimSpace(line) == ""
	if l.pending != nil && (l.isCrash || isBlank || l.continues(line)) {
		if l.isCrash && text.IsPanic(line) { // more useful than the stack
			l.remember(line)
		}
		l.extend(line)
		return
	}
	l.end()
	if isBlank {
		return
	}
	e := entry{level: slog.LevelWarn, isCut: l.isCut}
	if l.isCrash = text.IsPanic(line); l.isCrash {
		e.level = slog.LevelError
	}
	l.remember(line)
	l.pending, l.isTrace = &e, l.isCrash || goroutine.MatchString(line)
	l.text.WriteString(line)
	l.wait()
}

var (
	goroutine = regexp.MustCompile(`^goroutine \d+ .*\[.*\]:$`)
	frame     = regexp.MustCompile(`^(\S+\(.*\)|created by .*|panic\(.*|\[signal .*|\.\.\..* elided\.\.\.)$`)
)

// continues reports whether a plain line belongs to those before it.
func (l *logWriter) continues(line string) bool {
	if goroutine.MatchString(line) {
		l.isTrace = true
		l.pending.level = slog.LevelError
	}
	return l.isTrace && (goroutine.MatchString(line) || frame.MatchString(line)) || line[0] == ' ' || line[0] == '\t'
}

// extend adds a line to the pending ones.
func (l *logWriter) extend(line string) {
	if l.isCut || l.text.Len()+len(line) >= maxLogLine {
		l.pending.isCut = true
	} else {
		l.text.WriteString("\n" + line)
	}
	l.wait()
}

// wait makes the pending lines a record if nothing follows them.
func (l *logWriter) wait() {
	gap := lineGap
	if l.isCrash {
		gap = crashGap
	}
	if l.flush != nil {
		l.flush.Reset(gap)
		return
	}
	l.flush = time.AfterFunc(gap, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.end()
	})
}

// end makes the pending lines a record.
func (l *logWriter) end() {
	if l.flush != nil {
		l.flush.Stop()
	}
	if e := l.pending; e != nil {
		l.pending, l.isTrace, l.isCrash = nil, false, false
		e.message = strings.TrimRight(l.text.String(), "\n \t")
		if _, place := text.OwnFrames(e.message); place != "" && e.level == slog.LevelError {
			first, rest, _ := strings.Cut(e.message, "\n")
			if i := slices.Index(l.recent, quote(first)); i >= 0 {
				l.recent[i] = quote(first + " (" + place + ")")
			}
			e.message = first + " (" + place + ")\n" + rest
		}
		e.size = l.text.Len()
		l.text.Reset()
		l.records.add(time.Now(), *e)
	}
}

// remember keeps a message for tail.
func (l *logWriter) remember(message string) {
	l.recent = append(l.recent, quote(message))
	if len(l.recent) > tailLines {
		l.recent = l.recent[1:]
	}
}

const maxQuote = 200 // bytes of a line that an error quotes

func quote(line string) string { return text.Shorten(line, maxQuote) }

// tail returns the last lines on one line.
func (l *logWriter) tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end()
	return strings.Join(l.recent, " | ")
}
