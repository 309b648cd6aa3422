package bench

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
)

const (
	others         = 50 // clients that are not part of an attack
	attackDuration = 10 * time.Second
)

// attackFigures measures the host while callers try to exhaust it: its memory, and how
// long other clients wait compared with before.
func attackFigures(b *testing.B, program string) []figure {
	dir := b.TempDir()
	file := filepath.Join(dir, "slipway.db")
	token, uid := seed(b, file)
	sink := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		time.Sleep(time.Second) // the host holds the body meanwhile
		_, _ = w.Write(make([]byte, 16<<20))
	}))
	b.Cleanup(sink.Close)
	writeApp(b, filepath.Join(dir, "plugins", "acme-sink-app"), sink.URL)
	attacker, large, repeated := seedAttack(b, file)
	address, pid := serve(b, exec.CommandContext(b.Context(), program, "host", "--listen=127.0.0.1:0", "--plugins-dir="+filepath.Join(dir, "plugins"),
		"--data-dir="+dir, "--database="+file, "--admin-password=correct horse battery"))

	get := requestText("GET", "/api/playlists/"+uid, token, "")
	calm := percentile(b, address, get, attackDuration/2)
	ctx, stop := context.WithCancel(b.Context())
	var attacks sync.WaitGroup
	attack := func(clients int, f func(net.Conn)) {
		for range clients {
			attacks.Go(func() { repeat(ctx, address, f) })
		}
	}
	send := func(request []byte) func(net.Conn) {
		return func(c net.Conn) {
			_, _ = c.Write(request)
			in := bufio.NewReader(c)
			if response, err := http.ReadResponse(in, nil); err == nil {
				_, _ = io.Copy(io.Discard, response.Body)
			}
		}
	}
	neverRead := func(request []byte) func(net.Conn) {
		return func(c net.Conn) {
			_, _ = c.Write(request)
			<-ctx.Done()
		}
	}
	items := `{"name":"p","interval":"5m","items":[` + strings.Repeat("{},", 340_000) + `{}]}`
	attack(8, send(requestText("GET", "/api/playlists/"+repeated+"/dashboards?limit=5000", attacker, "")))
	attack(40, send(requestText("POST", "/api/plugin-proxy/acme-sink-app/sink", attacker, strings.Repeat("x", 16<<20))))
	attack(16, send(requestText("POST", "/api/playlists", attacker, items)))
	attack(64, neverRead(requestText("GET", "/api/dashboards/uid/"+large, attacker, "")))
	attack(64, neverRead(requestText("POST", "/api/plugin-proxy/acme-sink-app/sink", attacker, "x")))
	attack(200, neverRead([]byte("GET /api/health HTTP/1.1\r\nX: ")))
	attack(16, send(bytes.Join([][]byte{[]byte("GET /api/health HTTP/1.1\r\nX: "), bytes.Repeat([]byte("x"), 1<<20), []byte("\r\n\r\n")}, nil)))
	time.Sleep(attackDuration / 5)
	attacked := percentile(b, address, get, attackDuration)
	stop()
	attacks.Wait()
	after := percentile(b, address, get, attackDuration/5)
	figures := []figure{{name: fmt.Sprintf("99th percentile of %d clients under attack", others), value: ms(attacked), format: "%.1f ms",
		bound: atMost(5 * ms(calm)), share: fmt.Sprintf("%.1f times", float64(attacked)/float64(calm)), others: fmt.Sprintf("before: %.1f ms; after: %.1f ms", ms(calm), ms(after))}}
	if memory, err := peakMemory(pid); err != nil {
		fmt.Println("memory of the host not measured:", err)
	} else {
		figures = append(figures, figure{name: "memory of the host under attack", value: memory, format: "%.0f MB", bound: atMost(268)}) // 256 MiB
	}
	return figures
}

// repeat runs an attack on a new connection each time, until the context ends.
func repeat(ctx context.Context, address string, f func(net.Conn)) {
	for ctx.Err() == nil {
		c, err := net.Dial("tcp", address)
		if err != nil {
			return
		}
		end := context.AfterFunc(ctx, func() { _ = c.Close() })
		f(c)
		end()
		_ = c.Close()
	}
}

// percentile returns the 99th percentile of how long others wait for the response to a
// request. Each pauses between its requests, so that they do not load the host
// themselves.
func percentile(b *testing.B, address string, request []byte, duration time.Duration) time.Duration {
	b.Helper()
	var group sync.WaitGroup
	var mu sync.Mutex
	var all []time.Duration
	var failed error
	start := time.Now()
	for range others {
		group.Go(func() {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed = err
				return
			}
			defer conn.Close()
			in := bufio.NewReader(conn)
			for time.Since(start) < duration {
				sent := time.Now()
				err := roundTrip(conn, in, request)
				took := time.Since(sent)
				mu.Lock()
				all = append(all, took)
				if err != nil {
					failed = err
				}
				mu.Unlock()
				if err != nil {
					return
				}
				time.Sleep(50 * time.Millisecond)
			}
		})
	}
	group.Wait()
	if failed != nil {
		b.Fatalf("a client that is not part of the attack: %v", failed)
	}
	slices.Sort(all)
	return all[len(all)*99/100]
}

// seedAttack adds what attackers use: a token, the uid of a large dashboard, and that of a
// playlist from before items were limited, with 20,000 items that refer to 300 dashboards
// each.
func seedAttack(b *testing.B, file string) (token, large, repeated string) {
	b.Helper()
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	ctx := b.Context()
	s, err := store.Open(ctx, store.Options{Database: file})
	must(err)
	for n := range 300 {
		_, err := s.SaveDashboard(ctx, store.MainOrg, host.Dashboard{Title: fmt.Sprint("dashboard ", n), Tags: []string{"ops"}}, store.Save{})
		must(err)
	}
	d, err := s.SaveDashboard(ctx, store.MainOrg, host.Dashboard{Title: "large",
		Model: fmt.Appendf(nil, `{"pad":%q}`, strings.Repeat("x", 1<<20))}, store.Save{})
	must(err)
	p, err := s.CreatePlaylist(ctx, store.MainOrg, host.Playlist{Name: "repeated", Interval: "5m",
		Items: slices.Repeat([]host.PlaylistItem{{Type: host.DashboardByTag, Value: "ops"}}, host.MaxPlaylistItems)})
	must(err)
	root := host.Identity{OrgID: store.MainOrg, Role: host.RoleAdmin}
	account, err := s.CreateServiceAccount(ctx, root, host.ServiceAccount{Name: "attacker", Role: host.RoleEditor})
	must(err)
	_, secret, err := s.CreateToken(ctx, root, account.ID, "attacker", 0)
	must(err)
	must(s.Close())
	return secret.Secret(), d.UID, p.UID
}

// writeApp writes an app without a backend whose route leads to a URL.
func writeApp(b *testing.B, dir, url string) {
	b.Helper()
	text := fmt.Sprintf(`{"type":"app","id":"acme-sink-app","name":"Sink","info":{"version":"1.0.0","updated":"2026-01-01","author":{"name":"Acme"},
		"logos":{"small":"logo.svg","large":"logo.svg"}},"dependencies":{"serviceDependency":">=10.0.0"},
		"routes":[{"path":"sink","method":"*","url":%q}]}`, url)
	err := os.MkdirAll(dir, 0o755)
	for name, text := range map[string]string{"plugin.json": text, "logo.svg": "<svg/>", "module.js": "define([],function(){return{}})"} {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)
		}
	}
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkAttack prints only the figures under attack.
func BenchmarkAttack(b *testing.B) {
	for b.Loop() {
		program := filepath.Join(b.TempDir(), "slipway")
		goCommand(b, root, "build", "-buildvcs=false", "-o", program, "./cmd/slipway")
		for _, f := range attackFigures(b, program) {
			fmt.Println(f)
		}
	}
}
