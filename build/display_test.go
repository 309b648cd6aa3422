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

// fakeTerminal is a screen that understands the escape sequences of a display.
type fakeTerminal struct {
	t     *testing.T
	lines []string
	row   int
}

var sequence = regexp.MustCompile(`^\x1b\[(\d*)([AKJ])`)

func (s *fakeTerminal) Write(b []byte) (int, error) {
	for rest := string(b); rest != ""; {
		if m := sequence.FindStringSubmatch(rest); m != nil {
			rest = rest[len(m[0]):]
			n, err := strconv.Atoi(m[1])
			switch {
			case m[2] == "J" && m[1] == "":
				s.lines = s.lines[:s.row]
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
func (s *fakeTerminal) line() *string {
	for len(s.lines) <= s.row {
		s.lines = append(s.lines, "")
	}
	return &s.lines[s.row]
}

func TestDisplay(t *testing.T) {
	t.Parallel()
	commands := []Command{{Platform: bundle.Platform{OS: "linux", Arch: "amd64"}}, {Platform: bundle.Platform{OS: "windows", Arch: "arm64"}}}
	for name, last := range map[string]error{"success": nil, "failure": errors.New("no")} {
		screen := &fakeTerminal{t: t}
		d := newDisplay(screen, true, commands)
		at := d.started
		d.now = func() time.Time { return at }
		made := Executable{File: "gpx_x", Size: 14_300_000, Took: 1250 * time.Millisecond}
		end := "" // the table follows
		if last != nil {
			end = "  linux/amd64    gpx_x  14.3 MB  1.2s\n  windows/arm64  failed\n  12s, 0 of 2 left"
		}
		for n, step := range []struct {
			do   func()
			want string // on the screen
		}{
			{func() { d.start(0) }, "  linux/amd64    compiling 0s\n  windows/arm64  waiting\n  0s, 2 of 2 left"},
			{func() { at = at.Add(5 * time.Second); d.start(1) }, "  linux/amd64    compiling 5s\n  windows/arm64  compiling 0s\n  5s, 2 of 2 left"},
			{func() { at = at.Add(7 * time.Second); d.finish(0, made, nil) }, "  linux/amd64    gpx_x  14.3 MB  1.2s\n  windows/arm64  compiling 7s\n  12s, 1 of 2 left"},
			{func() { d.finish(1, Executable{File: "gpx_y", Size: 2_000_000, UpToDate: true}, last) }, end},
		} {
			step.do()
			d.mu.Lock()
			if diff := cmp.Diff(step.want, strings.Join(screen.lines, "\n")); diff != "" {
				t.Errorf("%s: screen after step %d (-want +got):\n%s", name, n, diff)
			}
			d.mu.Unlock()
		}
	}
}

func TestDisplayInALog(t *testing.T) {
	t.Parallel()
	commands := []Command{{Platform: bundle.Platform{OS: "linux", Arch: "amd64"}}, {Platform: bundle.Platform{OS: "windows", Arch: "arm64"}}}
	var log strings.Builder
	d := newDisplay(&log, false, commands)
	d.start(0)
	d.finish(0, Executable{}, nil)
	if diff := cmp.Diff("1 of 2 left: windows/arm64", d.names()); diff != "" {
		t.Error(diff)
	}
	d.finish(1, Executable{}, nil)
	if log.String() != "" {
		t.Errorf("a short step printed %q", &log)
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	writeTable(&out, []part{
		{name: "linux/amd64", content: "gpx_x_linux_amd64", size: 14_300_000, took: 3210 * time.Millisecond},
		{name: "windows/amd64", content: "gpx_x_windows_amd64.exe", size: 9_000_000, isUpToDate: true},
		{name: "frontend", content: "module.js", size: 1500, took: 12 * time.Second},
		{name: "assets", content: files(1), took: 0},
		{name: "a longer name than most", content: files(0)},
	})
	const want = `  linux/amd64             gpx_x_linux_amd64        14.3 MB        3.2s
  windows/amd64           gpx_x_windows_amd64.exe   9.0 MB  up to date
  frontend                module.js                   2 kB       12.0s
  assets                  1 file                      0 kB        0.0s
  a longer name than most 0 files                     0 kB        0.0s
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
