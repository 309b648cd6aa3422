package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A backend is a hello data source whose size and start are measured.
type backend struct {
	name     string
	module   string // folder of its module, from the root
	pkg      string // within it
	size     float64
	packages int // outside of the standard library
	starts   []time.Duration
}

// sdkFigures measures what an author's plugin weighs and how soon it has shaken hands,
// beside the existing SDK and go-plugin with the protocol alone, and what a query costs.
func sdkFigures(b *testing.B, table io.Writer) {
	root := filepath.Join("..", "..")
	floor := &backend{name: "go-plugin and the protocol", pkg: "./sdk/testdata/footprint/bare"}
	lean := &backend{name: "hello data source, no frames", pkg: "./sdk/testdata/footprint/lean"}
	frames := &backend{name: "hello data source, frames", pkg: "./sdk/testdata/footprint/frames"}
	heavy := &backend{name: "ours with the existing frames", pkg: "./internal/e2e/testdata/ours/hello"}
	existing := &backend{name: "the existing SDK", module: "testdata/existing", pkg: "./hello"}
	all := []*backend{floor, lean, frames, heavy, existing}
	dir := b.TempDir()
	for n, p := range all {
		p.build(b, filepath.Join(root, p.module), filepath.Join(dir, fmt.Sprint(n)))
	}
	for range 20 {
		for n, p := range all {
			p.starts = append(p.starts, handshake(b, filepath.Join(dir, fmt.Sprint(n))))
		}
	}
	for _, c := range []struct {
		*backend
		maxSize, maxPackages string
	}{{lean, "15 MB", "145"}, {frames, "20 MB", ""}} {
		beside := fmt.Sprintf("%s: %.1f MB", floor.name, floor.size)
		if c.backend == frames {
			beside = fmt.Sprintf("%s: %.1f MB and %.1f ms", heavy.name, heavy.size, ms(heavy.start()))
		}
		fmt.Fprintf(table, "%s: executable\t%.1f MB\t%.0f %%\t%s or less\t%s: %.1f MB; %s\n",
			c.name, c.size, 100*c.size/existing.size, c.maxSize, existing.name, existing.size, beside)
		fmt.Fprintf(table, "  start to handshake line, median of 20\t%.1f ms\t%.0f %%\t6 ms or less\t%s: %.1f ms; alone: %.1f ms\n",
			ms(c.start()), 100*ms(c.start())/ms(existing.start()), existing.name, ms(existing.start()), ms(floor.start()))
		if c.maxPackages != "" {
			fmt.Fprintf(table, "  packages outside of the standard library\t%d\t%.0f %%\t%s or less\t%s: %d; alone: %d\n",
				c.packages, 100*float64(c.packages)/float64(existing.packages), c.maxPackages, existing.name, existing.packages, floor.packages)
		}
	}
	queryFigures(b, table, root)
}

func (p *backend) start() time.Duration {
	slices.Sort(p.starts)
	return p.starts[len(p.starts)/2]
}

func (p *backend) build(b *testing.B, dir, program string) {
	b.Helper()
	run := func(args ...string) []byte {
		cmd := exec.CommandContext(b.Context(), "go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			b.Fatalf("%s: %v\n%s", cmd, err, &stderr)
		}
		return out
	}
	run("build", "-trimpath", "-ldflags=-s -w", "-o", program, p.pkg)
	list := string(run("list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", p.pkg))
	p.packages = len(strings.Fields(list)) - 1 // the program itself
	info, err := os.Stat(program)
	if err != nil {
		b.Fatal(err)
	}
	p.size = float64(info.Size()) / 1e6
}

// handshake starts a backend as a host does and returns the time to its line.
func handshake(b *testing.B, program string) time.Duration {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), program)
	cmd.Env = []string{"grafana_plugin_type=datasource", "PLUGIN_PROTOCOL_VERSIONS=2", "PLUGIN_UNIX_SOCKET_DIR=" + b.TempDir()}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	took := time.Since(start)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if err != nil || !strings.Contains(line, "|grpc|") {
		b.Fatalf("%s: %q, %v", program, line, err)
	}
	return took
}

// queryFigures runs the benchmark of the SDK, which compares to a bare gRPC service in
// the same process.
func queryFigures(b *testing.B, table io.Writer, root string) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), "go", "test", "./sdk", "-run=^$", "-bench=^BenchmarkQueryData$", "-benchtime=1x")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	for line := range strings.Lines(string(out)) {
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
		fmt.Fprintf(table, "query, %s, round trip\t%s µs\t%s x bare\t1.15 x or less\tbare gRPC: %s µs\n",
			strings.ReplaceAll(name, "_", " "), metrics["µs/query"], metrics["x_bare"], metrics["µs/bare"])
	}
}
