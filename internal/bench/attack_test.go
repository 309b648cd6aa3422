package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
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
	"text/tabwriter"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
)

const others = 50 // clients that are not part of an attack

// attack is what a number of clients do at the same time, each on a new connection every
// time.
type attack struct {
	name    string
	clients int
	request []byte
	isRead  bool // whether the clients read the response
}

// target is a host with what the attacks use, and a server that reads all requests, for
// comparison.
type target struct {
	address, sink string
	pid           int
	get           []byte // what others request
	attacks       []attack
}

// newTarget starts a host.
func newTarget(tb testing.TB) target {
	dir := tb.TempDir()
	program, file := filepath.Join(dir, "slipway"), filepath.Join(dir, "slipway.db")
	goCommand(tb, root, "build", "-buildvcs=false", "-o", program, "./cmd/slipway")
	token, uid := seed(tb, file)
	sink := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		time.Sleep(time.Second) // the host holds the body meanwhile
		_, _ = w.Write(make([]byte, 16<<20))
	}))
	tb.Cleanup(sink.Close)
	idle := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	tb.Cleanup(idle.Close)
	writeApp(tb, filepath.Join(dir, "plugins", "acme-sink-app"), sink.URL)
	writeGreedy(tb, filepath.Join(dir, "plugins", "acme-greedy-app"))
	large, repeated, tokens := seedAttack(tb, file, 6)
	t := target{sink: idle.Listener.Addr().String(), get: requestText("GET", "/api/playlists/"+uid, token, "")}
	t.address, t.pid = serve(tb, exec.CommandContext(tb.Context(), program, "host", "--listen=127.0.0.1:0", "--plugins-dir="+filepath.Join(dir, "plugins"),
		"--data-dir="+dir, "--database="+file, "--admin-password=correct horse battery"))
	const sinkRoute, greedy = "/api/plugin-proxy/acme-sink-app/sink", "/api/plugins/acme-greedy-app/resources/"
	items := `{"name":"p","interval":"5m","items":[` + strings.Repeat("{},", 340_000) + `{}]}`
	header := bytes.Join([][]byte{[]byte("GET /api/health HTTP/1.1\r\nX: "), bytes.Repeat([]byte("x"), 1<<20), []byte("\r\n\r\n")}, nil)
	t.attacks = []attack{
		{"playlist of 1,000 items that refer to 300 dashboards each", 8, requestText("GET", "/api/playlists/"+repeated+"/dashboards?limit=5000", tokens[0], ""), true},
		{"bodies of 16 MiB to a route", 40, requestText("POST", sinkRoute, tokens[1], strings.Repeat("x", 16<<20)), true},
		{"bodies of 16 MiB to a resource", 40, requestText("POST", greedy+"hang", tokens[2], strings.Repeat("x", 16<<20)), true},
		{"bodies of 1 MiB of items", 16, requestText("POST", "/api/playlists", tokens[3], items), true},
		{"dashboards of 1 MiB that are not read", 64, requestText("GET", "/api/dashboards/uid/"+large, tokens[4], ""), false},
		{"responses of 16 MiB that are not read", 64, requestText("POST", sinkRoute, tokens[4], "x"), false},
		{"calls that do not end", 50, requestText("GET", greedy+"hang", tokens[5], ""), true},
		{"response of a backend of 500 MB", 1, requestText("GET", greedy+"large", tokens[5], ""), true},
		{"headers that do not end", 200, []byte("GET /api/health HTTP/1.1\r\nX: "), false},
		{"headers of 1 MiB", 16, header, true},
	}
	return t
}

// wait measures how long others wait, and how many requests are refused, while attacks run
// against an address.
func (t target) wait(tb testing.TB, address string, duration time.Duration, attacks ...attack) (p99 time.Duration, refused int) {
	tb.Helper()
	ctx, stop := context.WithCancel(tb.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	for _, a := range attacks {
		for range a.clients {
			running.Go(func() { repeat(ctx, address, a.once) })
		}
	}
	time.Sleep(duration / 5)
	return percentile(tb, t.address, t.get, duration)
}

// once sends the request of the attack.
func (a attack) once(ctx context.Context, c net.Conn) {
	_, _ = c.Write(a.request)
	if !a.isRead {
		<-ctx.Done()
		return
	}
	if response, err := http.ReadResponse(bufio.NewReader(c), nil); err == nil {
		_, _ = io.Copy(io.Discard, response.Body)
	}
}

// repeat runs an attack on a new connection each time, until the context ends.
func repeat(ctx context.Context, address string, once func(context.Context, net.Conn)) {
	for ctx.Err() == nil {
		c, err := net.Dial("tcp", address)
		if err != nil {
			return
		}
		end := context.AfterFunc(ctx, func() { _ = c.Close() })
		once(ctx, c)
		end()
		_ = c.Close()
	}
}

// maxMemory is the resident size in MB that a host may have under all attacks: 256 MiB.
const maxMemory = 268

// TestAttack checks that everybody else is served while callers attack a host in all ways at
// once, and what memory it takes. How long others wait depends on the machine.
func TestAttack(t *testing.T) {
	target := newTarget(t)
	calm, _ := target.wait(t, target.address, time.Second)
	attacked, refused := target.wait(t, target.address, 5*time.Second, target.attacks...)
	t.Logf("99th percentile of %d clients: %.1f ms, under attack %.1f ms, %.1f times, %d refused", others, ms(calm), ms(attacked), float64(attacked)/float64(calm), refused)
	memory, err := peakMemory(target.pid)
	if err != nil {
		t.Skip("memory not measured: ", err)
	}
	t.Logf("memory: %.0f MB", memory)
	if memory > maxMemory {
		t.Errorf("the host took %.0f MB, at most %d are allowed", memory, maxMemory)
	}
}

// BenchmarkAttack prints how long others wait under each attack and under all, and while the
// same clients send to another server: what an attack costs the machine, whatever the host
// does.
func BenchmarkAttack(b *testing.B) {
	const duration = 4 * time.Second
	for b.Loop() {
		target := newTarget(b)
		table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprint(table, "\nATTACK\tCALM\tATTACKED\tTIMES\tREFUSED\tOTHER SERVER ATTACKED\tTIMES\tMEMORY\n")
		measure := func(name string, attacks ...attack) {
			calm, _ := target.wait(b, target.address, duration/2)
			attacked, refused := target.wait(b, target.address, duration, attacks...)
			other, _ := target.wait(b, target.sink, duration/2, attacks...)
			memory, err := peakMemory(target.pid)
			if err != nil {
				b.Skip("memory not measured: ", err)
			}
			fmt.Fprintf(table, "%s\t%.1f ms\t%.1f ms\t%.1f\t%d\t%.1f ms\t%.1f\t%.0f MB\n", name, ms(calm), ms(attacked),
				float64(attacked)/float64(calm), refused, ms(other), float64(other)/float64(calm), memory)
		}
		for _, a := range target.attacks {
			measure(a.name, a)
		}
		measure("all", target.attacks...)
		if err := table.Flush(); err != nil {
			b.Fatal(err)
		}
	}
}

// percentile returns the 99th percentile of how long others wait for the response to a
// request, and how many requests the host had no time for: status 503 or 504. Each pauses
// between its requests, so that they do not load the host themselves.
func percentile(b testing.TB, address string, request []byte, duration time.Duration) (wait time.Duration, refused int) {
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
				if s, ok := errors.AsType[status](err); ok && (s == http.StatusServiceUnavailable || s == http.StatusGatewayTimeout) {
					refused++
					err = nil
				}
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
	return all[len(all)*99/100], refused
}

// seedAttack adds what attackers use: the uid of a large dashboard, that of a playlist of
// items that refer to 300 dashboards each, and tokens of different accounts.
func seedAttack(b testing.TB, file string, accounts int) (large, repeated string, tokens []string) {
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
	for n := range accounts {
		account, err := s.CreateServiceAccount(ctx, root, host.ServiceAccount{Name: fmt.Sprint("attacker ", n), Role: host.RoleEditor})
		must(err)
		_, secret, err := s.CreateToken(ctx, root, account.ID, "attacker", 0)
		must(err)
		tokens = append(tokens, secret.Secret())
	}
	must(s.Close())
	return d.UID, p.UID, tokens
}

// writeApp writes an app without a backend whose route leads to a URL.
func writeApp(b testing.TB, dir, url string) {
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

// writeGreedy writes an app with the backend testdata/greedy.
func writeGreedy(b testing.TB, dir string) {
	b.Helper()
	goCommand(b, root, "build", "-buildvcs=false", "-o", filepath.Join(dir, bundle.Host().Executable("gpx_greedy")), "./internal/bench/testdata/greedy")
	text := `{"type":"app","id":"acme-greedy-app","name":"Greedy","backend":true,"executable":"gpx_greedy","info":{"version":"1.0.0"}}`
	if err := os.WriteFile(filepath.Join(dir, bundle.MetadataFile), []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
}
