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
	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestConformance runs slipway conformance on plugins of both SDKs. Those that
// use Grafana's SDK must get exactly the warnings that it is known to get, and exit with
// status 0; with the strict standard, these are failures. Ours must pass.
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
		warn          []string
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
			for name, text := range map[string]string{bundle.MetadataFile: metadata, "module.js": "define([], function () {});"} {
				testkit.OK(t, os.WriteFile(filepath.Join(plugin, name), []byte(text), 0o644))
			}
			testkit.OK(t, os.Link(c.program, filepath.Join(plugin, bundle.Host().Executable("gpx_echo"))))
			for standard, wanted := range map[string]struct {
				outcome string
				code    int
			}{"auto": {"warning", 0}, "strict": {"failed", 1}} {
				if len(c.warn) == 0 {
					wanted.code = 0
				} else if standard == "strict" && filepath.Base(c.program) != "hello" {
					continue // it takes as long again
				}
				outcomes := conformanceOutcomes(t, slipway, standard, plugin, wanted.code)
				if diff := cmp.Diff(c.warn, outcomes[wanted.outcome]); diff != "" {
					t.Errorf("%s: %s checks (-want +got):\n%s", standard, wanted.outcome, diff)
				}
				delete(outcomes, wanted.outcome)
				if len(outcomes["failed"])+len(outcomes["warning"]) > 0 {
					t.Errorf("%s: more than %s checks: %v", standard, wanted.outcome, outcomes)
				}
			}
		})
	}
}

// conformanceOutcomes runs slipway conformance and returns the ids of the checks by outcome.
func conformanceOutcomes(t *testing.T, slipway, standard, plugin string, wantCode int) map[string][]string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), slipway, "conformance", "--format=json", "--checks="+standard, `--query={"queryType":"series"}`, plugin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != wantCode {
		t.Fatalf("%v, want status %d: %s\n%s", err, wantCode, stderr.Bytes(), out)
	}
	var report struct {
		Plugins []struct {
			Results []struct{ ID, Outcome, Sent, Got string }
		}
	}
	if err := json.Unmarshal(out, &report); err != nil || len(report.Plugins) != 1 {
		t.Fatalf("%v in %s", err, out)
	}
	outcomes := map[string][]string{}
	for _, r := range report.Plugins[0].Results {
		outcomes[r.Outcome] = append(outcomes[r.Outcome], r.ID)
		if r.Sent != "" {
			t.Logf("%s %s: %s -> %s", r.Outcome, r.ID, r.Sent, r.Got)
		}
	}
	return outcomes
}
