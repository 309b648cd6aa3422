package bench

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/slipway-dev/slipway/internal/testkit"
)

var check = flag.Bool("check", false, "fail if a figure misses its bound in two measurements")

// root is the directory of the module.
var root = filepath.Join("..", "..")

// figure is a measured quantity.
type figure struct {
	name   string
	value  float64
	format string // of the value and the bound, such as %.1f ms
	bound  bound
	share  string // a second reading of the value, such as its ratio to another
	others string // the same quantity of other programs
}

// bound is the least or the greatest acceptable value of a figure.
type bound struct {
	value   float64
	isLeast bool
}

func atLeast(value float64) bound { return bound{value, true} }

func atMost(value float64) bound { return bound{value, false} }

func (f figure) isMissed() bool {
	if f.bound.isLeast {
		return f.value < f.bound.value
	}
	return f.value > f.bound.value
}

func (f figure) String() string {
	relation := "at most "
	if f.bound.isLeast {
		relation = "at least "
	}
	missed := ""
	if f.isMissed() {
		missed = "  MISSED"
	}
	return fmt.Sprintf("%s\t"+f.format+"\t%s\t%s"+f.format+"%s\t%s", f.name, f.value, f.share, relation, f.bound.value, missed, f.others)
}

// BenchmarkFigures measures the command, plugins and the host, and prints a table. On a
// busy machine, the times increase, but the processor times and ratios hardly do.
func BenchmarkFigures(b *testing.B) {
	for b.Loop() {
		dir := b.TempDir()
		goCommand(b, root, "build", "-buildvcs=false", "-o", dir+"/", "./cmd/slipway", "./cmd/slipway-host")
		var missed []string
		table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprint(table, "\nFIGURE\tMEASURED\tSHARE\tBOUND\tOTHERS\n")
		for _, measure := range []func() []figure{
			func() []figure { return validateFigures(b, filepath.Join(dir, "slipway")) },
			func() []figure { return pluginFigures(b) },
			func() []figure { return queryFigures(b) },
			func() []figure { return loaderFigures(b) },
			func() []figure { return hostFigures(b, filepath.Join(dir, "slipway-host")) },
		} {
			missed = append(missed, report(table, measure)...)
		}
		testkit.OK(b, table.Flush())
		fmt.Println()
		if *check && len(missed) > 0 {
			b.Fatalf("missed in two measurements:\n%s", strings.Join(missed, "\n"))
		}
	}
}

// report measures figures and prints them. If one misses its bound, it measures again.
// It returns the names of the figures that missed their bounds in both measurements.
func report(table io.Writer, measure func() []figure) (missed []string) {
	first := measure()
	for _, f := range first {
		fmt.Fprintln(table, f)
	}
	if !*check || !slices.ContainsFunc(first, figure.isMissed) {
		return nil
	}
	for i, again := range measure() {
		if first[i].isMissed() {
			again.name = "  again: " + again.name
			fmt.Fprintln(table, again)
		}
		if first[i].isMissed() && again.isMissed() {
			missed = append(missed, first[i].name)
		}
	}
	return missed
}

// times are the times of several runs of a program.
type times struct {
	best, median time.Duration
	cpu          time.Duration // user and system time, the least
}

// run runs a command several times. Exit status 1 is not a failure.
func run(b *testing.B, runs int, name string, args ...string) times {
	b.Helper()
	var all, cpu []time.Duration
	for range runs {
		cmd := exec.CommandContext(b.Context(), name, args...)
		start := time.Now()
		if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() > 1 {
			b.Fatalf("%s: %v", cmd, err)
		}
		all = append(all, time.Since(start))
		cpu = append(cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	}
	slices.Sort(all)
	return times{best: all[0], median: all[len(all)/2], cpu: slices.Min(cpu)}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// goCommand runs the go command in a directory and returns its output.
func goCommand(b testing.TB, dir string, args ...string) string {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), "go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("%s: %v\n%s%s", cmd, err, out, &stderr)
	}
	return string(out)
}
