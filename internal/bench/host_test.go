package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

const (
	connections  = 16
	loadDuration = 2 * time.Second
)

// hostFigures measures the host under load, and a minimal server on a copy of its
// database. Measurements of the two alternate, and the best counts.
func hostFigures(b *testing.B, program string) (figures []figure) {
	dir := b.TempDir()
	file, bare := filepath.Join(dir, "slipway.db"), filepath.Join(dir, "floor.db")
	token, uid := seed(b, file)
	data, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(bare, data, 0o600)
	}
	if err != nil {
		b.Fatal(err)
	}
	served := exec.CommandContext(b.Context(), program, "host", "--listen=127.0.0.1:0", "--data-dir="+dir, "--database="+file)
	served.Env = append(os.Environ(), "SLIPWAY_ADMIN_PASSWORD=correct horse")
	hostAddress, pid := serve(b, served)
	self := exec.CommandContext(b.Context(), os.Args[0])
	self.Env = append(os.Environ(), envFloor+"="+bare)
	floorAddress, _ := serve(b, self)
	for _, c := range []struct {
		name                 string
		bound                float64 // in percent of the floor
		method, target, body string
		record               string
	}{
		{"list 20 playlists", 60, "GET", "/api/playlists?limit=20", "", "; Grafana 9.4: 311/s"},
		{"get a playlist", 60, "GET", "/api/playlists/" + uid, "", "; Grafana 9.4: 212/s"},
		{"create a playlist", 50, "POST", "/api/playlists", `{"name":"made","interval":"5m"}`, ""},
	} {
		request := requestText(c.method, c.target, token, c.body)
		var ours, least float64
		for range 3 {
			ours = max(ours, mustLoad(b, hostAddress, request))
			least = max(least, mustLoad(b, floorAddress, request))
		}
		figures = append(figures, figure{
			name: fmt.Sprintf("%s, %d connections", c.name, connections), value: 100 * ours / least, format: "%.0f %%", bound: atLeast(c.bound),
			share: fmt.Sprintf("%.0f/s", ours), others: fmt.Sprintf("minimal server: %.0f/s%s", least, c.record),
		})
	}
	if memory, err := peakMemory(pid); err != nil {
		fmt.Println("memory of the host not measured:", err)
	} else {
		figures = append(figures, figure{name: "memory of the host under load", value: memory, format: "%.0f MB", bound: atMost(60)})
	}
	return figures
}

// seed fills a database and returns a token and the uid of a playlist in it.
func seed(b testing.TB, file string) (token, uid string) {
	b.Helper()
	ctx := b.Context()
	s := testkit.Must(store.Open(ctx, store.Options{Database: file}))(b)
	for n := range 20 {
		p := testkit.Must(s.CreatePlaylist(ctx, store.MainOrg, hostapi.Playlist{Name: fmt.Sprint("playlist ", n), Interval: "5m",
			Items: []hostapi.PlaylistItem{{Type: host.DashboardByTag, Value: "a"}, {Type: host.DashboardByID, Value: "1"}}}))(b)
		uid = p.UID
	}
	root := host.Identity{OrgID: store.MainOrg, Role: host.RoleAdmin}
	account := testkit.Must(s.CreateServiceAccount(ctx, root, host.ServiceAccount{Name: "bench", Role: host.RoleEditor}))(b)
	_, secret, err := s.CreateToken(ctx, root, account.ID, "bench", 0)
	if err != nil {
		b.Fatal(err)
	}
	testkit.OK(b, s.Close())
	return secret.Secret(), uid
}

// serve starts a server, stops it at the end of the benchmark, and returns the address
// that it prints.
func serve(b testing.TB, cmd *exec.Cmd) (address string, pid int) {
	b.Helper()
	out := testkit.Must(cmd.StdoutPipe())(b)
	testkit.OK(b, cmd.Start())
	b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if found := regexp.MustCompile(`http://(\S+)`).FindStringSubmatch(lines.Text()); found != nil {
			return found[1], cmd.Process.Pid
		}
	}
	b.Fatalf("%s: no address printed", cmd)
	return "", 0
}

// requestText returns an HTTP request as it is sent.
func requestText(method, target, token, body string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n", method, target, token)
	if body != "" {
		fmt.Fprintf(&b, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	b.WriteString("\r\n" + body)
	return b.Bytes()
}

func mustLoad(b *testing.B, address string, request []byte) float64 {
	b.Helper()
	return testkit.Must(load(address, request, loadDuration))(b)
}

// load sends a request repeatedly on all connections and returns the responses per
// second. It writes prepared bytes, because it shares the machine with the server.
func load(address string, request []byte, duration time.Duration) (float64, error) {
	var responses atomic.Int64
	var group sync.WaitGroup
	failed := make(chan error, connections)
	start := time.Now()
	for range connections {
		group.Go(func() {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				failed <- err
				return
			}
			defer conn.Close()
			in := bufio.NewReaderSize(conn, 16<<10)
			for more := true; more; more = time.Since(start) < duration { // at least one request
				if err := roundTrip(conn, in, request); err != nil {
					failed <- err
					return
				}
				responses.Add(1)
			}
		})
	}
	group.Wait()
	close(failed)
	if err := <-failed; err != nil {
		return 0, err
	}
	return float64(responses.Load()) / time.Since(start).Seconds(), nil
}

func roundTrip(conn net.Conn, in *bufio.Reader, request []byte) error {
	if _, err := conn.Write(request); err != nil {
		return err
	}
	response, err := http.ReadResponse(in, nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%.40q: %w", request, status(response.StatusCode))
	}
	return nil
}

// status is the status of a response that is not 200.
type status int

// Error returns the status.
func (s status) Error() string { return fmt.Sprintf("status %d", int(s)) }

// peakMemory returns the largest resident size of a process in MB.
func peakMemory(pid int) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	kilobytes, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, err := strconv.ParseFloat(kilobytes, 64)
	return n / 1000, err
}
