//go:build e2e && unix

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle"
)

// TestConformance runs slipway conformance on plugins of both SDKs. Those that
// use Grafana's SDK must fail exactly the checks that it is known to fail; ours must pass.
func TestConformance(t *testing.T) {
	t.Parallel()
	existing, ours, slipway := existingPrograms(t), ourPrograms(t), slipwayCommand(t)

	// Grafana's SDK does not check for missing messages, accepts 16 MiB, and does not
	// notice the end of its host.
	hello := []string{"nil-context-query", "nil-context-health", "query-nil-time-range", "huge-request", "stop-host-killed"}
	all := []string{
		"nil-context-query", "nil-context-health", "nil-context-resource", "nil-context-subscribe", "nil-context-run", "nil-context-publish",
		"query-nil-time-range", "huge-request", "stop-host-killed",
	}
	for _, c := range []struct {
		program, kind string
		fail          []string
	}{
		{existing + "datasource", "datasource", all},
		{existing + "app", "app", all},
		{existing + "hello", "datasource", hello},
		{ours + "datasource", "datasource", nil},
		{ours + "app", "app", nil},
		{ours + "hello", "datasource", nil},
	} {
		t.Run(filepath.Base(filepath.Dir(c.program))+"/"+filepath.Base(c.program), func(t *testing.T) {
			t.Parallel()
			plugin := t.TempDir()
			metadata := fmt.Sprintf(`{"id":"acme-echo-%s","name":"Echo","type":%q,"backend":true,"executable":"gpx_echo","info":{"version":"1.2.3"}}`, c.kind, c.kind)
			if err := os.WriteFile(filepath.Join(plugin, bundle.MetadataFile), []byte(metadata), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Link(c.program, filepath.Join(plugin, bundle.Host().Executable("gpx_echo"))); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), slipway, "conformance", "--format=json", `--query={"queryType":"series"}`, plugin)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			wantCode := 0
			if len(c.fail) > 0 {
				wantCode = 1
			}
			if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != wantCode {
				t.Fatalf("%v, want status %d: %s", err, wantCode, stderr.Bytes())
			}
			var report struct {
				Plugins []struct {
					Results []struct{ ID, Outcome, Reason, Sent, Got string }
				}
			}
			if err := json.Unmarshal(out, &report); err != nil || len(report.Plugins) != 1 {
				t.Fatalf("%v in %s", err, out)
			}
			var failed []string
			for _, r := range report.Plugins[0].Results {
				if r.Outcome == "failed" {
					failed = append(failed, r.ID)
					t.Logf("%s: %s -> %s", r.ID, r.Sent, r.Got)
				}
			}
			if diff := cmp.Diff(c.fail, failed); diff != "" {
				t.Errorf("failed checks (-want +got):\n%s", diff)
			}
		})
	}
}
