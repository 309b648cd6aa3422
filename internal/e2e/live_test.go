//go:build e2e && linux

package e2e

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// liveEvent is a line of testdata/centrifuge/client.mjs.
type liveEvent struct {
	Event, Path, Reason string
	Code                int
	Data                struct {
		Welcome, Build, Text string
		N                    int
	}
}

// TestCentrifuge follows channels with the client library of existing frontends, in both of
// its protocols, while the plugin is replaced.
func TestCentrifuge(t *testing.T) {
	dir, root := t.TempDir(), t.TempDir()
	if err := npmInstall(t, dir, "centrifuge@5.8.0", "ws@8"); err != nil {
		t.Skip(err)
	}
	client := filepath.Join(dir, "client.mjs")
	write(t, client, string(readFile(t, filepath.Join("testdata", "centrifuge", "client.mjs"))))
	s := &swapping{dir: filepath.Join(root, swapID)}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s.program = readFile(t, ourPrograms(t)+"swap")
	s.metadata(t, "Swap")
	s.replace(t)
	s.server = (&script{slipway: slipwayCommand(t)}).start(t, nil, "host", "--plugins-dir", root)
	s.credential = s.token(t, "Viewer")
	s.backend(t)
	for _, protocol := range []string{"json", "protobuf"} {
		t.Run(protocol, func(t *testing.T) { s.followChannels(t, client, protocol) })
	}
	s.terminate(t)
}

func (s *swapping) followChannels(t *testing.T, script, protocol string) {
	cmd := exec.CommandContext(t.Context(), "node", script, strings.Replace(s.url, "http", "ws", 1)+"/api/live/ws", "Bearer "+s.credential, protocol, swapID)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	want := map[string]bool{"subscribed numbers": true, "subscribed chat": true, "unsubscribed missing 404": true, "unsubscribed secret 403": true,
		"published chat": true, "publication chat": true, "error numbers 403": true}
	var last liveEvent
	first, swaps, afterwards := s.build, 0, 0
	for lines := bufio.NewScanner(stdout); afterwards < 20 && lines.Scan(); {
		var e liveEvent
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		if e.Event == "publication" && e.Path == "numbers" {
			build, _ := strconv.Atoi(e.Data.Build)
			before, _ := strconv.Atoi(last.Data.Build)
			isNext := build == before && e.Data.N == last.Data.N+1 || build > before && e.Data.N == 0
			if last.Event != "" && !isNext {
				t.Errorf("%+v follows %+v", e.Data, last.Data)
			}
			last = e
			switch {
			case len(want) == 0 && swaps < 2 && build == first+swaps && e.Data.N >= 20:
				swaps++
				s.replace(t)
			case swaps == 2 && build == first+2:
				afterwards++
			}
			continue
		}
		key := e.Event + " " + e.Path
		if e.Code != 0 {
			key += " " + strconv.Itoa(e.Code)
		}
		if e.Event == "subscribed" && e.Data.Welcome == "" || e.Event == "publication" && e.Data.Text != "hi" {
			t.Errorf("%+v", e)
		}
		if !want[key] {
			t.Fatalf("unexpected: %s", lines.Text())
		}
		delete(want, key)
	}
	if afterwards < 20 || len(want) > 0 {
		t.Errorf("after %d swaps, %d packets of the last build were received; missing: %v", swaps, afterwards, want)
	}
}
