package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/bundle"
)

const manyPlugins = 300

// BenchmarkManyPlugins measures a host that mounts 300 plugins: the time until all of them
// run, the memory and the file descriptors, and the time until a save is applied. The
// metrics are per plugin where their units say so.
func BenchmarkManyPlugins(b *testing.B) {
	dir := b.TempDir()
	program, backend := filepath.Join(dir, "slipway"), filepath.Join(dir, "hello")
	goCommand(b, root, "build", "-buildvcs=false", "-o", program, "./cmd/slipway-host")
	goCommand(b, root, "build", "-trimpath", "-buildvcs=false", build.CompilerFlags, "-ldflags=-s -w", "-o", backend, "./sdk/testdata/footprint/lean")
	plugins := filepath.Join(dir, "plugins")
	for n := range manyPlugins {
		dir := filepath.Join(plugins, fmt.Sprint(n))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		writeMetadata(b, dir, n, "Hello")
		if err := os.Link(backend, filepath.Join(dir, bundle.Host().Executable("gpx_hello"))); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		data := b.TempDir()
		token, _ := seed(b, filepath.Join(data, "slipway.db"))
		start := time.Now()
		cmd := exec.CommandContext(b.Context(), program, "host", "--listen=127.0.0.1:0", "--data-dir="+data, "--plugins-dir="+plugins)
		address, pid := serve(b, cmd)
		for running := 0; running < manyPlugins; time.Sleep(50 * time.Millisecond) {
			running = strings.Count(listPlugins(b, address, token), `"state":"running"`)
		}
		b.ReportMetric(time.Since(start).Seconds(), "s/start")
		memory, err := peakMemory(pid)
		if err != nil {
			b.Skip("memory not measured: ", err)
		}
		b.ReportMetric(memory, "MB/host")
		b.ReportMetric(memory*1000/manyPlugins, "kB/plugin")
		files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(files))/manyPlugins, "files/plugin")
		b.ReportMetric(residentOfChildren(b, pid)/manyPlugins, "MB/backend")

		last := manyPlugins - 1
		name := fmt.Sprint("Saved ", time.Now().UnixNano())
		writeMetadata(b, filepath.Join(plugins, fmt.Sprint(last)), last, name)
		saved := time.Now()
		for !strings.Contains(listPlugins(b, address, token), name) {
			time.Sleep(5 * time.Millisecond)
		}
		b.ReportMetric(ms(time.Since(saved)), "ms/save")
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			b.Fatal(err)
		}
		start = time.Now()
		_ = cmd.Wait()
		b.ReportMetric(time.Since(start).Seconds(), "s/stop")
		b.ReportMetric((cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), "cpu-s/all") // with the backends
	}
}

func writeMetadata(b *testing.B, dir string, n int, name string) {
	b.Helper()
	text := fmt.Sprintf(`{"id":"acme-hello%d-datasource","name":%q,"type":"datasource","backend":true,"executable":"gpx_hello","info":{"version":"1.0.0"}}`, n, name)
	if err := os.WriteFile(filepath.Join(dir, bundle.MetadataFile), []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
}

// listPlugins returns the list of the plugins as JSON.
func listPlugins(b *testing.B, address, token string) string {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://"+address+"/api/plugins", nil)
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || !json.Valid(text) {
		b.Fatalf("%s: %v", text, err)
	}
	return string(text)
}

// residentOfChildren returns the memory of the children of a process in MB. Pages that they
// share, such as those of the same file, count once for each.
func residentOfChildren(b *testing.B, pid int) (total float64) {
	b.Helper()
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		b.Fatal(err)
	}
	for _, list := range lists {
		text, _ := os.ReadFile(list) // the thread may have ended
		for child := range strings.FieldsSeq(string(text)) {
			var id int
			if _, err := fmt.Sscan(child, &id); err != nil {
				b.Fatal(err)
			}
			memory, err := peakMemory(id)
			if err != nil {
				b.Fatal(err)
			}
			total += memory
		}
	}
	return total
}
