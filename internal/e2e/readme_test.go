//go:build e2e && unix

package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// step is a command of the README's tour and what it prints.
type step struct {
	command string
	want    []string // "..." is any number of lines, or any text within a line
}

var tourBlock = regexp.MustCompile("(?s)```\n\\$ (.*?)\n(.*?)```")

// tour reads the commands of the README's tour.
func tour(t *testing.T) []step {
	t.Helper()
	var steps []step
	for _, m := range tourBlock.FindAllStringSubmatch(testkit.ReadFile(t, filepath.Join("..", "..", "README.md")), -1) {
		steps = append(steps, step{m[1], strings.Split(strings.TrimRight(m[2], "\n"), "\n")})
	}
	return steps
}

// TestTour runs the commands of the README's tour and compares what they print, except for
// times, sizes and the width of columns.
func TestTour(t *testing.T) {
	repo := filepath.Join(t.TempDir(), "tour", pluginID)
	file := filepath.Join(repo, "src", "plugin.json")
	var good string
	steps := tour(t)
	if len(steps) != 5 {
		t.Fatalf("the tour has %d commands, want 5", len(steps))
	}
	for _, s := range steps {
		var out string
		switch args := strings.Fields(s.command); {
		case slices.Contains(args, "scaffold"):
			out = run(t, 0, filepath.Join("..", ".."), args[0], append(args[1:len(args)-1], "-dir="+repo)...)
			good = testkit.ReadFile(t, file)
			testkit.WriteFile(t, file, damage(t, good))
		case args[len(args)-1] == "validate":
			out = run(t, 1, repo, args[0], args[1:]...)
			testkit.WriteFile(t, file, good)
		case args[len(args)-1] == "build":
			platforms := testkit.Must(bundle.ParsePlatforms(*platformList))(t)
			s.want = onlyBuilt(s.want, platforms)
			for i, line := range s.want {
				s.want[i] = strings.Replace(line, fmt.Sprintf("%d executables", len(bundle.AllPlatforms())), fmt.Sprintf("%d executable...", len(platforms)), 1)
			}
			out = run(t, 0, repo, args[0], append(args[1:], "-platforms="+*platformList)...)
		case args[len(args)-1] == "dev":
			for i := range s.want {
				s.want[i] = strings.Replace(s.want[i], "127.0.0.1:3000", "...", 1)
				if strings.HasPrefix(s.want[i], "preview of ") {
					s.want[i] = "preview..." // a link, if this machine has the libraries
				}
			}
			out = edited(t, repo, args)
		default:
			out = run(t, 0, repo, args[0], args[1:]...)
		}
		got := slices.DeleteFunc(strings.Split(strings.TrimRight(out, "\n"), "\n"), isProgress)
		if strings.HasSuffix(s.command, " build") { // platforms end in any order
			slices.Sort(s.want)
			slices.Sort(got)
		}
		if !matches(s.want, got) {
			t.Errorf("%s: the README is out of date (-want +got):\n%s", s.command, cmp.Diff(s.want, got))
		}
	}
}

// isProgress reports whether a line is printed only if something takes a long time.
func isProgress(line string) bool { return progressLine.MatchString(line) }

var progressLine = regexp.MustCompile(`^ *[a-z].*, [0-9]+s(;|$)|^(building|built) slipway`)

// onlyBuilt drops the lines of the platforms that are not built.
func onlyBuilt(lines []string, platforms []bundle.Platform) []string {
	var kept []string
	for _, line := range lines {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		isBuilt := !strings.Contains(name, "/") || strings.HasPrefix(line, "note: ")
		for _, p := range platforms {
			isBuilt = isBuilt || name == p.String()
		}
		if isBuilt {
			kept = append(kept, line)
		}
	}
	return kept
}

// edited runs dev, edits the backend, and returns what dev has printed when the edit is live.
func edited(t *testing.T, repo string, args []string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], append(args[1:], "-listen=127.0.0.1:0")...)
	cmd.Dir = repo
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	h := launch(t, cmd)
	h.await(t, 0, "watching ")
	source := filepath.Join(repo, "pkg", "datasource.go")
	text := testkit.ReadFile(t, source)
	testkit.WriteFile(t, source, strings.Replace(text, "the backend is running", "edited", 1))
	live := h.await(t, 0, " is live, ")
	before, _, _ := strings.Cut(h.printed(0), live)
	// A terminal sends Ctrl-C to the whole group. Mage exits with an error then.
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Error(err)
	}
	<-h.ended
	testkit.WriteFile(t, source, text)
	return before + live
}

var (
	number = regexp.MustCompile(`\d+\.\d+|\d+ kB`)
	spaces = regexp.MustCompile(` +`)
)

// matches reports whether lines match the wanted ones.
func matches(want, got []string) bool {
	if len(want) == 0 {
		return len(got) == 0
	}
	if strings.TrimSpace(want[0]) == "..." {
		return matches(want[1:], got) || len(got) > 0 && matches(want, got[1:])
	}
	return len(got) > 0 && matchesLine(want[0], got[0]) && matches(want[1:], got[1:])
}

func matchesLine(want, got string) bool {
	var pattern strings.Builder
	for i, part := range strings.Split(want, "...") {
		if i > 0 {
			pattern.WriteString(".*")
		}
		part = regexp.QuoteMeta(number.ReplaceAllString(part, "0"))
		pattern.WriteString(spaces.ReplaceAllString(part, " +"))
	}
	ok, err := regexp.MatchString("^"+pattern.String()+"$", number.ReplaceAllString(got, "0"))
	return ok && err == nil
}
