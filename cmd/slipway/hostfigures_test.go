package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
)

// hostFigures measures the host under load from another process, beside the floor: a
// bare server on a copy of the same file. Runs of both alternate, the best counts.
func hostFigures(b *testing.B, table io.Writer, program string) {
	dir := b.TempDir()
	file := filepath.Join(dir, "slipway.db")
	token, uid := seed(b, file)
	bare := filepath.Join(dir, "floor.db")
	copyFile(b, file, bare)
	hostAddress, pid := serve(b, exec.CommandContext(b.Context(), program, "host", "--listen=127.0.0.1:0",
		"--data-dir="+dir, "--database="+file, "--admin-password=x"))
	self := exec.CommandContext(b.Context(), os.Args[0])
	self.Env = append(os.Environ(), envFloor+"="+bare)
	floorAddress, _ := serve(b, self)
	for _, c := range []struct {
		name   string
		share  int // of the floor, in percent
		load   load
		record string
	}{
		{"list 20 playlists", 60, load{Method: "GET", Target: "/api/playlists?limit=20"}, "; Grafana 9.4: 311/s"},
		{"get one playlist", 60, load{Method: "GET", Target: "/api/playlists/" + uid}, "; Grafana 9.4: 212/s"},
		{"create a playlist", 50, load{Method: "POST", Target: "/api/playlists", Body: `{"name":"made","interval":"5m"}`}, ""},
	} {
		var ours, bare float64
		for range 3 {
			ours, bare = max(ours, sendLoad(b, c.load, hostAddress, token)), max(bare, sendLoad(b, c.load, floorAddress, token))
		}
		fmt.Fprintf(table, "%s, %d connections\t%.0f/s\t%.0f %% of the floor\t%d %% or more\tfloor: %.0f/s%s\n",
			c.name, connections, ours, 100*ours/bare, c.share, bare, c.record)
	}
	fmt.Fprintf(table, "memory of the host under that load\t%s\t\t60 MB or less\t\n", memory(pid))
}

// seed fills a database and returns a token and the uid of a playlist.
func seed(b *testing.B, file string) (token, uid string) {
	b.Helper()
	ctx := b.Context()
	s, err := store.Open(ctx, store.Options{Database: file})
	if err != nil {
		b.Fatal(err)
	}
	for n := range 20 {
		p, err := s.CreatePlaylist(ctx, store.MainOrg, host.Playlist{Name: fmt.Sprint("playlist ", n), Interval: "5m",
			Items: []host.PlaylistItem{{Type: host.DashboardByTag, Value: "a"}, {Type: host.DashboardByID, Value: "1"}}})
		if err != nil {
			b.Fatal(err)
		}
		uid = p.UID
	}
	root := host.Identity{OrgID: store.MainOrg, Role: host.RoleAdmin}
	account, err := s.CreateServiceAccount(ctx, root, host.ServiceAccount{Name: "bench", Role: host.RoleEditor})
	if err != nil {
		b.Fatal(err)
	}
	_, secret, err := s.CreateToken(ctx, root, account.ID, "bench", 0)
	if err != nil {
		b.Fatal(err)
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	return secret.Secret(), uid
}

func copyFile(b *testing.B, from, to string) {
	b.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, text, 0o600)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// serve starts a server and returns its address once it answers. It is stopped with
// the benchmark.
func serve(b *testing.B, cmd *exec.Cmd) (address string, pid int) {
	b.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
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
	b.Fatalf("%s says nothing of its address", cmd)
	return "", 0
}

// sendLoad runs a load as a process and returns the answers per second.
func sendLoad(b *testing.B, l load, address, token string) float64 {
	b.Helper()
	l.Address, l.Token, l.Duration = address, token, 2*time.Second
	text, err := json.Marshal(l)
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.CommandContext(b.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), envLoad+"="+string(text))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		b.Fatal(err)
	}
	perSecond, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil {
		b.Fatal(err)
	}
	return perSecond
}

// memory is the most memory that a process ever had resident.
func memory(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return "unknown: only Linux tells it"
	}
	_, rest, _ := bytes.Cut(text, []byte("VmHWM:"))
	kilobytes, err := strconv.Atoi(strings.TrimSpace(string(rest[:max(0, bytes.Index(rest, []byte(" kB")))])))
	if err != nil {
		return "unknown: " + err.Error()
	}
	return fmt.Sprintf("%.0f MB", float64(kilobytes)/1000)
}

// A floor that answers wrongly would make every share look good.
func TestFloor(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "slipway.db")
	s, err := store.Open(t.Context(), store.Options{Database: file})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	out, in := io.Pipe()
	go func() { _ = floor(file, in) }() // ends with the process
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimSpace(line[strings.Index(line, "http://")+len("http://"):])
	create := load{Address: address, Method: "POST", Target: "/api/playlists", Body: `{"name":"made","interval":"5m"}`, Duration: 50 * time.Millisecond}
	var rate bytes.Buffer
	if err := create.run(&rate); err != nil || rate.String() == "0\n" {
		t.Fatalf("%q, %v", rate.String(), err)
	}
	got, err := http.Get("http://" + address + "/api/playlists")
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	var list []struct{ Name string }
	if err := json.NewDecoder(got.Body).Decode(&list); err != nil || len(list) == 0 || list[0].Name != "made" {
		t.Errorf("list %+v, %v", list, err)
	}
}
