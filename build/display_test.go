package build

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle"
)

// terminal is a screen that understands the escape sequences of a display.
type terminal struct {
	t     *testing.T
	lines []string
	row   int
}

var sequence = regexp.MustCompile(`^\x1b\[(\d+)([AK])`)

func (s *terminal) Write(b []byte) (int, error) {
	for rest := string(b); rest != ""; {
		if m := sequence.FindStringSubmatch(rest); m != nil {
			rest = rest[len(m[0]):]
			n, err := strconv.Atoi(m[1])
			switch {
			case m[2] == "A" && err == nil && n <= s.row:
				s.row -= n
			case m[2] == "K" && n == 2:
				*s.line() = ""
			default:
				s.t.Errorf("unexpected sequence %q in row %d", m[0], s.row)
			}
			continue
		}
		if rest[0] == '\n' {
			s.row++
		} else {
			*s.line() += rest[:1]
		}
		rest = rest[1:]
	}
	return len(b), nil
}

// line returns the line of the cursor.
func (s *terminal) line() *string {
	for len(s.lines) <= s.row {
		s.lines = append(s.lines, "")
	}
	return &s.lines[s.row]
}

func TestDisplay(t *testing.T) {
	t.Parallel()
	commands := []Command{{Platform: bundle.Platform{OS: "linux", Arch: "amd64"}}, {Platform: bundle.Platform{OS: "windows", Arch: "arm64"}}}
	steps := []struct {
		do   func(*display)
		want string // on the screen of a terminal
	}{
		{func(d *display) { d.start(0) }, "  linux/amd64    compiling\n  windows/arm64  waiting"},
		{func(d *display) { d.start(1) }, "  linux/amd64    compiling\n  windows/arm64  compiling"},
		{func(d *display) { d.finish(1, Executable{}, errors.New("no"), 0) }, "  linux/amd64    compiling\n  windows/arm64  failed"},
		{func(d *display) { d.finish(0, Executable{File: "gpx_x", Size: 14_300_000}, nil, 1250*time.Millisecond) }, "  linux/amd64    gpx_x  14.3 MB  1.2s\n  windows/arm64  failed"},
		{func(d *display) { d.finish(1, Executable{File: "gpx_y", Size: 2_000_000, UpToDate: true}, nil, 0) }, "  linux/amd64    gpx_x  14.3 MB  1.2s\n  windows/arm64  gpx_y  2 MB  up to date"},
	}
	screen := &terminal{t: t}
	live := newDisplay(screen, true, commands)
	var log strings.Builder
	plain := newDisplay(&log, false, commands)
	for n, step := range steps {
		step.do(live)
		step.do(plain)
		if diff := cmp.Diff(step.want, strings.Join(screen.lines, "\n")); diff != "" {
			t.Errorf("screen after step %d (-want +got):\n%s", n, diff)
		}
	}
	const want = "  windows/arm64  failed\n  linux/amd64    gpx_x  14.3 MB  1.2s\n  windows/arm64  gpx_y  2 MB  up to date\n"
	if diff := cmp.Diff(want, log.String()); diff != "" {
		t.Errorf("output without a terminal (-want +got):\n%s", diff)
	}
}
