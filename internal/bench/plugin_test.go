package bench

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// backend is a program that serves a data source.
type backend struct {
	name     string
	module   string  // directory of its module in the repository
	pkg      string  // in the module
	size     float64 // MB
	packages int     // outside of the standard library
	starts   []time.Duration
}

func (p *backend) start() float64 {
	slices.Sort(p.starts)
	return ms(p.starts[len(p.starts)/2])
}

// pluginFigures measures the size and the start of a plugin, and of plugins that use
// Grafana's SDK or go-plugin alone.
func pluginFigures(b *testing.B) (figures []figure) {
	floor := &backend{name: "go-plugin and the protocol", pkg: "./sdk/testdata/footprint/bare"}
	lean := &backend{name: "hello data source without frames", pkg: "./sdk/testdata/footprint/lean"}
	frames := &backend{name: "hello data source with frames", pkg: "./sdk/testdata/footprint/frames"}
	heavy := &backend{name: "with the frames of Grafana's SDK", module: "testdata/existing", pkg: "./ours/hello"}
	existing := &backend{name: "Grafana's SDK", module: "testdata/existing", pkg: "./hello"}
	all := []*backend{floor, lean, frames, heavy, existing}
	dir := b.TempDir()
	for n, p := range all {
		p.build(b, filepath.Join(dir, strconv.Itoa(n)))
	}
	for range 20 {
		for n, p := range all {
			p.starts = append(p.starts, startTime(b, filepath.Join(dir, strconv.Itoa(n))))
		}
	}
	for _, c := range []struct {
		*backend
		maxSize float64
		beside  *backend
	}{{lean, 15, floor}, {frames, 20, heavy}} {
		figures = append(figures, figure{
			name: c.name + ": executable", value: c.size, format: "%.1f MB", bound: atMost(c.maxSize),
			share:  fmt.Sprintf("%.0f %%", 100*c.size/existing.size),
			others: fmt.Sprintf("%s: %.1f MB; %s: %.1f MB", existing.name, existing.size, c.beside.name, c.beside.size),
		}, figure{
			name: "  start to handshake, median of 20", value: c.start(), format: "%.1f ms", bound: atMost(6),
			share:  fmt.Sprintf("%.0f %%", 100*c.start()/existing.start()),
			others: fmt.Sprintf("%s: %.1f ms; %s: %.1f ms", existing.name, existing.start(), c.beside.name, c.beside.start()),
		})
	}
	return append(figures, figure{
		name: lean.name + ": packages outside the standard library", value: float64(lean.packages), format: "%.0f", bound: atMost(145),
		share:  fmt.Sprintf("%.0f %%", 100*float64(lean.packages)/float64(existing.packages)),
		others: fmt.Sprintf("%s: %d; %s: %d", existing.name, existing.packages, floor.name, floor.packages),
	})
}

// build builds the backend with the flags of mage build.
func (p *backend) build(b *testing.B, program string) {
	b.Helper()
	module := filepath.Join(root, p.module)
	goCommand(b, module, "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", program, p.pkg)
	list := goCommand(b, module, "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", p.pkg)
	p.packages = len(strings.Fields(list)) - 1 // without the program itself
	info := testkit.Must(os.Stat(program))(b)
	p.size = float64(info.Size()) / 1e6
}

// startTime starts a backend as a host does and returns the time to its handshake. Given the
// variable with the certificate of a host, the backend makes its own first.
func startTime(b *testing.B, program string, env ...string) time.Duration {
	b.Helper()
	_, start, stop := execute(b, program, env...)
	took := time.Since(start)
	stop()
	return took
}

// execute starts a backend as a host does and returns the line of its handshake and the time
// of the start.
func execute(b *testing.B, program string, env ...string) (line string, start time.Time, stop func()) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), program)
	cmd.Env = append([]string{"grafana_plugin_type=datasource", "PLUGIN_PROTOCOL_VERSIONS=2", "PLUGIN_UNIX_SOCKET_DIR=" + b.TempDir()}, env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	start = time.Now()
	testkit.OK(b, cmd.Start())
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	line, err = bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.Contains(line, "|grpc|") {
		stop()
		b.Fatalf("%s: %q, %v", program, line, err)
	}
	return line, start, stop
}

// queryFigures measures a query through the SDK and through a bare gRPC service, with
// the SDK's benchmark.
func queryFigures(b *testing.B) (figures []figure) {
	b.Helper()
	out := goCommand(b, root, "test", "./sdk", "-vet=off", "-run=^$", "-bench=^BenchmarkQueryData$", "-benchtime=1x")
	for line := range strings.Lines(out) {
		name, ok := strings.CutPrefix(line, "BenchmarkQueryData/")
		if !ok {
			continue
		}
		name, _, _ = strings.Cut(name, "-")
		metrics := map[string]string{}
		fields := strings.Fields(line)
		for n := 3; n < len(fields); n += 2 {
			metrics[fields[n]] = fields[n-1]
		}
		ratio, err := strconv.ParseFloat(metrics["x_bare"], 64)
		if err != nil {
			b.Fatalf("%v in %s", err, line)
		}
		figures = append(figures, figure{
			name: fmt.Sprintf("query, %s, round trip", strings.ReplaceAll(name, "_", " ")), value: ratio, format: "%.2f x", bound: atMost(1.15),
			share: metrics["µs/query"] + " µs", others: "bare gRPC: " + metrics["µs/bare"] + " µs",
		})
	}
	if len(figures) == 0 {
		b.Fatalf("no figures in\n%s", out)
	}
	return figures
}
