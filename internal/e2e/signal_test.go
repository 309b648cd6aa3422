//go:build e2e && unix

package e2e

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestSecondSignalKills sends a host what it receives on Ctrl-C under Mage: SIGINT from the
// terminal, and SIGTERM from Mage. The host must wait for the request in progress. The next
// Ctrl-C ends it at once.
func TestSecondSignalKills(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(slipwayCommand(t), "host", "--listen=127.0.0.1:0", "--data-dir", t.TempDir())
	cmd.Env = append(os.Environ(), "SLIPWAY_ADMIN_PASSWORD="+password)
	h := serve(t, cmd)
	h.await(t, 0, "note: no plugin directories were given; add them with --plugins-dir")
	client := testkit.Must(net.Dial("tcp", strings.TrimPrefix(h.url, "http://")))(t)
	defer client.Close()
	testkit.Must(fmt.Fprintf(client, "POST /api/playlists HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Basic %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n", basic("admin", password)))(t)
	if line, err := bufio.NewReader(client).ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("%q, %v", line, err)
	}
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		testkit.OK(t, cmd.Process.Signal(s))
	}
	h.await(t, 0, "waiting up to")
	testkit.OK(t, cmd.Process.Signal(os.Interrupt))
	if _, ok := h.find(0, "aborted requests"); ok {
		t.Error("the host waited until the end of the drain")
	}
	if exit, ok := errors.AsType[*exec.ExitError](h.err); !ok || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGINT {
		t.Errorf("after the second Ctrl-C: %v", h.err)
	}
	for {
		left := testkit.Must(filepath.Glob(fmt.Sprintf("/tmp/slipway-%d-*", cmd.Process.Pid)))(t)
		if len(left) == 0 {
			break
		}
		time.Sleep(5 * time.Millisecond) // the guard removes it
	}
}

func basic(user, password string) string {
	return base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
}
