package bench

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/slipway-dev/slipway/internal/version"
)

// repository is a plugin repository with a data source, and a Go build cache of its own.
type repository struct {
	dir, cache string
	env        []string // in addition to that of this process
	build      []string // arguments of go that build all platforms
	main       string   // the file to change
	changes    int
}

// BenchmarkBuild compares mage build with the build of Grafana's SDK on equivalent data
// sources, and prints a table. It starts with empty build caches and takes about ten
// minutes.
func BenchmarkBuild(b *testing.B) {
	for b.Loop() {
		ours, theirs := ownRepository(b), existingRepository(b)
		cold, processor := ours.time(b, ours.build...)
		coldTheirs, processorTheirs := theirs.time(b, theirs.build...)
		var again, againTheirs, change, plain []time.Duration
		for range 5 {
			again = append(again, first(ours.time(b, ours.build...)))
			againTheirs = append(againTheirs, first(theirs.time(b, theirs.build...)))
		}
		size, sizeTheirs := ours.executables(b), theirs.executables(b)
		slipway := filepath.Join(b.TempDir(), "slipway")
		goCommand(b, root, "build", "-buildvcs=false", "-o", filepath.Dir(slipway)+"/", "./cmd/slipway", "./cmd/slipway-bundler")
		for range 5 {
			ours.change(b)
			change = append(change, first(ours.timeCommand(b, slipway, "build", "--only=backend", "--platforms=host")))
			ours.change(b)
			plain = append(plain, first(ours.time(b, "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", filepath.Join(b.TempDir(), "plain"), "./pkg")))
		}

		table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprint(table, "\nBUILD\tMEASURED\tRATIO\tBOUND\tBESIDE\n")
		for _, r := range []struct {
			name, format   string
			measured, peer float64
			bound          float64
			beside         string
		}{
			{"six platforms, empty build cache", "%.1f s", cold.Seconds(), coldTheirs.Seconds(), 0.45, "Grafana's SDK"},
			{"processor time of these builds", "%.1f s", processor.Seconds(), processorTheirs.Seconds(), 0.45, "Grafana's SDK"},
			{"nothing changed, best of 5", "%.2f s", slices.Min(again).Seconds(), slices.Min(againTheirs).Seconds(), 0.1, "Grafana's SDK"},
			{"a changed line, this platform, best of 5", "%.2f s", slices.Min(change).Seconds(), slices.Min(plain).Seconds(), 1.5, "go build"},
			{"size of six executables", "%.1f MB", size, sizeTheirs, 0.5, "Grafana's SDK"},
		} {
			ratio := r.measured / r.peer
			missed := ""
			if ratio > r.bound {
				missed = "  MISSED"
				if *check {
					b.Errorf("%s: %.2f times the peer, at most %.2f", r.name, ratio, r.bound)
				}
			}
			fmt.Fprintf(table, "%s\t"+r.format+"\t%.2f\tat most %.2f%s\t%s: "+r.format+"\n", r.name, r.measured, ratio, r.bound, missed, r.beside, r.peer)
		}
		if err := table.Flush(); err != nil {
			b.Fatal(err)
		}
	}
}

// ownRepository is a scaffolded data source whose backend is the small one that the
// benchmarks of plugins use.
func ownRepository(b *testing.B) *repository {
	b.Helper()
	r := &repository{dir: filepath.Join(b.TempDir(), "acme-bench-datasource"), cache: b.TempDir(), build: []string{"tool", "mage", "build", "-only=backend"}}
	goCommand(b, root, "run", "./cmd/slipway", "scaffold", "datasource", "acme-bench-datasource", "--dir", r.dir)
	r.replaceBackend(b, filepath.Join(root, "sdk", "testdata", "footprint", "frames"))
	r.requireRelease(b)
	return r
}

// requireRelease makes the repository require this module as a released version instead of
// replacing it with a directory: the go command keeps an index of each module in its cache, but
// rereads a replacement directory each time.
func (r *repository) requireRelease(b *testing.B) {
	b.Helper()
	released := module.Version{Path: version.Module, Version: "v0.0.1"}
	var archive bytes.Buffer
	if err := zip.CreateFromDir(&archive, released, root); err != nil {
		b.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		b.Fatal(err)
	}
	proxy := b.TempDir()
	for suffix, text := range map[string]string{".info": `{"Version": "` + released.Version + `"}`, ".mod": string(mod), ".zip": archive.String()} {
		write(b, filepath.Join(proxy, filepath.FromSlash(released.Path), "@v", released.Version+suffix), text)
	}
	downloads := filepath.Join(strings.TrimSpace(goCommand(b, root, "env", "GOMODCACHE")), "cache", "download")
	r.env = []string{
		"GOMODCACHE=" + b.TempDir(), "GOFLAGS=" + os.Getenv("GOFLAGS") + " -modcacherw", // so that the cleanup can remove the files
		"GOPROXY=file://" + filepath.ToSlash(proxy) + ",file://" + filepath.ToSlash(downloads) + "," + strings.TrimSpace(goCommand(b, root, "env", "GOPROXY")),
		"GONOSUMDB=" + released.Path,
	}
	prepare := *r
	prepare.cache = b.TempDir() // the go command writes to it
	prepare.time(b, "mod", "edit", "-dropreplace="+released.Path, "-require="+released.String())
	prepare.time(b, "mod", "tidy")
}

// existingRepository is the same data source with Grafana's SDK and its Mage targets.
func existingRepository(b *testing.B) *repository {
	b.Helper()
	r := &repository{dir: b.TempDir(), cache: b.TempDir(), build: []string{"tool", "mage", "buildAll"}}
	for name, text := range map[string]string{
		"Magefile.go":     "//go:build mage\n\npackage main\n\n//mage:import\nimport _ \"github.com/grafana/grafana-plugin-sdk-go/build\"\n",
		"package.json":    `{"version": "1.0.0"}`,
		"src/plugin.json": `{"id": "acme-bench-datasource", "type": "datasource", "name": "Bench", "backend": true, "executable": "gpx_bench"}`,
	} {
		write(b, filepath.Join(r.dir, filepath.FromSlash(name)), text)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, "testdata", "existing", name))
		if err != nil {
			b.Fatal(err)
		}
		write(b, filepath.Join(r.dir, name), string(text))
	}
	r.replaceBackend(b, filepath.Join(root, "testdata", "existing", "hello"))
	goCommand(b, r.dir, "get", "-tool", "github.com/magefile/mage")
	goCommand(b, r.dir, "mod", "tidy")
	return r
}

// replaceBackend replaces the backend of the repository with the program in a directory.
func (r *repository) replaceBackend(b *testing.B, from string) {
	b.Helper()
	text, err := os.ReadFile(filepath.Join(from, "main.go"))
	if err == nil {
		err = os.RemoveAll(filepath.Join(r.dir, "pkg"))
	}
	if err != nil {
		b.Fatal(err)
	}
	r.main = filepath.Join(r.dir, "pkg", "main.go")
	write(b, r.main, string(text))
}

// change adds a line to the backend.
func (r *repository) change(b *testing.B) {
	b.Helper()
	r.changes++
	text, err := os.ReadFile(r.main)
	if err != nil {
		b.Fatal(err)
	}
	write(b, r.main, string(text)+fmt.Sprintf("\nfunc init() { println(%d) }\n", r.changes))
}

// first returns the first of two results.
func first(elapsed, _ time.Duration) time.Duration { return elapsed }

// time returns how long a go command takes in the repository, and the processor time of
// its processes, which depends less on what else the machine does.
func (r *repository) time(b *testing.B, args ...string) (elapsed, processor time.Duration) {
	b.Helper()
	return r.timeCommand(b, "go", args...)
}

func (r *repository) timeCommand(b *testing.B, name string, args ...string) (elapsed, processor time.Duration) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), name, args...)
	cmd.Dir, cmd.Env = r.dir, append(append(os.Environ(), r.env...), "GOCACHE="+r.cache, "CGO_ENABLED=0", "MAGEFILE_CACHE="+filepath.Join(r.cache, "mage"))
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	return time.Since(start), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// executables returns the size in MB of the executables in dist.
func (r *repository) executables(b *testing.B) (size float64) {
	b.Helper()
	entries, err := os.ReadDir(filepath.Join(r.dir, "dist"))
	if err != nil {
		b.Fatal(err)
	}
	count := 0
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), "gpx_") {
			size += float64(info.Size()) / 1e6
			count++
		}
	}
	if count != 6 {
		b.Fatalf("%s has %d executables", r.dir, count)
	}
	return size
}

func write(b *testing.B, file, text string) {
	b.Helper()
	err := os.MkdirAll(filepath.Dir(file), 0o755)
	if err == nil {
		err = os.WriteFile(file, []byte(text), 0o644)
	}
	if err != nil {
		b.Fatal(err)
	}
}
