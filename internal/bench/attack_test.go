package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/gob"
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
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
)

const others = 50 // clients that are not part of an attack

// attack is what a number of clients do at the same time, each on a new connection every
// time.
type attack struct {
	Name    string
	Clients int
	Request []byte
	IsRead  bool // whether the clients read the response
}

// orders tell the attackers what to do until the next orders.
type orders struct {
	Address string
	Attacks []attack
}

// envAttackers is the environment variable that makes the test executable run the attackers.
const envAttackers = "SLIPWAY_BENCH_ATTACKERS"

// attackers is a process for everything that would be on other machines in reality: the clients
// that attack, the server behind a route, and a server that reads all requests, for
// comparison. It gets only the processor time that nobody else wants.
type attackers struct {
	tb         testing.TB
	sink, idle string // addresses of the servers
	in         *gob.Encoder
	out        *bufio.Reader
}

func startAttackers(tb testing.TB) *attackers {
	args := []string{os.Args[0]}
	if chrt, err := exec.LookPath("chrt"); err == nil {
		args = []string{chrt, "--idle", "0", os.Args[0]}
	}
	cmd := exec.CommandContext(tb.Context(), args[0], args[1:]...)
	cmd.Env = append(os.Environ(), envAttackers+"=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	a := &attackers{tb: tb, in: gob.NewEncoder(in), out: bufio.NewReader(out)}
	if _, err := fmt.Fscanln(a.out, &a.sink, &a.idle); err != nil {
		tb.Fatal(err)
	}
	return a
}

// begin replaces the attacks. It returns how many requests of the previous ones ended.
func (a *attackers) begin(address string, attacks ...attack) (ended int) {
	a.tb.Helper()
	err := a.in.Encode(orders{address, attacks})
	if err == nil {
		_, err = fmt.Fscanln(a.out, &ended)
	}
	if err != nil {
		a.tb.Fatal(err)
	}
	return ended
}

// runAttackers is the main function of the process.
func runAttackers(in io.Reader, out io.Writer) error {
	sink := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		time.Sleep(time.Second) // the host holds the body meanwhile
		_, _ = w.Write(make([]byte, 16<<20))
	}))
	idle := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	if _, err := fmt.Fprintln(out, sink.Listener.Addr(), idle.Listener.Addr()); err != nil {
		return err
	}
	stop := func() int64 { return 0 }
	for from := gob.NewDecoder(in); ; {
		var o orders
		if err := from.Decode(&o); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, stop()); err != nil {
			return err
		}
		stop = o.run()
	}
}

// run starts the attacks. stop ends them and returns how many requests ended.
func (o orders) run() (stop func() int64) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	var ended atomic.Int64
	for _, a := range o.Attacks {
		for range a.Clients {
			running.Go(func() { a.repeat(ctx, o.Address, &ended) })
		}
	}
	return func() int64 {
		cancel()
		running.Wait()
		return ended.Load()
	}
}

// repeat sends the request on a new connection each time, until the context ends.
func (a attack) repeat(ctx context.Context, address string, ended *atomic.Int64) {
	for ctx.Err() == nil {
		c, err := net.Dial("tcp", address)
		if err != nil {
			return
		}
		end := context.AfterFunc(ctx, func() { _ = c.Close() })
		a.once(ctx, c)
		ended.Add(1)
		end()
		_ = c.Close()
	}
}

// once sends the request.
func (a attack) once(ctx context.Context, c net.Conn) {
	_, _ = c.Write(a.Request)
	if !a.IsRead {
		<-ctx.Done()
		return
	}
	if response, err := http.ReadResponse(bufio.NewReader(c), nil); err == nil {
		_, _ = io.Copy(io.Discard, response.Body)
	}
}

// target is a host with what the attacks use.
type target struct {
	address   string
	pid       int
	get       []byte // what others request
	attacks   []attack
	attackers *attackers
}

// newTarget starts a host.
func newTarget(tb testing.TB) target {
	dir := tb.TempDir()
	program, file := filepath.Join(dir, "slipway"), filepath.Join(dir, "slipway.db")
	goCommand(tb, root, "build", "-buildvcs=false", "-o", program, "./cmd/slipway-host")
	token, uid := seed(tb, file)
	t := target{get: requestText("GET", "/api/playlists/"+uid, token, ""), attackers: startAttackers(tb)}
	writeApp(tb, filepath.Join(dir, "plugins", "acme-sink-app"), "http://"+t.attackers.sink)
	writeGreedy(tb, filepath.Join(dir, "plugins", "acme-greedy-app"))
	large, repeated, tokens := seedAttack(tb, file, 6)
	t.address, t.pid = serve(tb, exec.CommandContext(tb.Context(), program, "host", "--listen=127.0.0.1:0", "--plugins-dir="+filepath.Join(dir, "plugins"),
		"--data-dir="+dir, "--database="+file, "--admin-password=correct horse battery"))
	const sinkRoute, greedy = "/api/plugin-proxy/acme-sink-app/sink", "/api/plugins/acme-greedy-app/resources/"
	items := `{"name":"p","interval":"5m","items":[` + strings.Repeat("{},", 340_000) + `{}]}`
	header := bytes.Join([][]byte{[]byte("GET /api/health HTTP/1.1\r\nX: "), bytes.Repeat([]byte("x"), 1<<20), []byte("\r\n\r\n")}, nil)
	partial := []byte("GET /api/health HTTP/1.1\r\n")
	for n := range 1800 { // a map of them takes many times their size
		partial = fmt.Appendf(partial, "x%d:\r\n", n)
	}
	queries := `{"queries":[` + strings.Repeat("{},", 340_000) + `{}]}`
	t.attacks = []attack{
		{"playlist of 1,000 items that refer to 300 dashboards each", 8, requestText("GET", "/api/playlists/"+repeated+"/dashboards?limit=5000", tokens[0], ""), true},
		{"bodies of 16 MiB to a route", 40, requestText("POST", sinkRoute, tokens[1], strings.Repeat("x", 16<<20)), true},
		{"bodies of 16 MiB to a resource", 40, requestText("POST", greedy+"hang", tokens[2], strings.Repeat("x", 16<<20)), true},
		{"bodies of 1 MiB of items", 16, requestText("POST", "/api/playlists", tokens[3], items), true},
		{"bodies of 1 MiB of queries", 16, requestText("POST", "/api/ds/query", tokens[3], queries), true},
		{"dashboards of 1 MiB that are not read", 64, requestText("GET", "/api/dashboards/uid/"+large, tokens[4], ""), false},
		{"responses of 16 MiB that are not read", 64, requestText("POST", sinkRoute, tokens[4], "x"), false},
		{"calls that do not end", 50, requestText("GET", greedy+"hang", tokens[5], ""), true},
		{"response of a backend of 500 MB", 1, requestText("GET", greedy+"large", tokens[5], ""), true},
		{"headers that do not end", 200, []byte("GET /api/health HTTP/1.1\r\nX: "), false},
		{"small headers that do not end", 1000, partial, false},
		{"headers of 1 MiB", 16, header, true},
	}
	return t
}

// wait measures how long others wait, and how many requests are refused, while attacks run
// against an address. ended is how many requests of the attackers ended.
func (t target) wait(tb testing.TB, address string, duration time.Duration, attacks ...attack) (p99 time.Duration, refused, ended int) {
	tb.Helper()
	t.attackers.begin(address, attacks...)
	time.Sleep(duration / 5)
	p99, refused = percentile(tb, t.address, t.get, duration)
	return p99, refused, t.attackers.begin("")
}

// maxMemory is the resident size in MB that a host may have under all attacks: 256 MiB.
const maxMemory = 268

// TestAttack checks that everybody else is served while callers attack a host in all ways at
// once, and what memory it takes. How long others wait depends on the machine.
func TestAttack(t *testing.T) {
	target := newTarget(t)
	calm, _, _ := target.wait(t, target.address, time.Second)
	attacked, refused, _ := target.wait(t, target.address, 5*time.Second, target.attacks...)
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

// BenchmarkAttack measures how many times as long as in calm others wait under each attack and
// under all, and while the same clients send to another server: what an attack costs the
// machine, whatever the host does. The three alternate, and the median of the rounds counts.
func BenchmarkAttack(b *testing.B) {
	const rounds, duration = 7, 3 * time.Second
	target := newTarget(b)
	measure := func(name string, attacks ...attack) {
		b.Run(name, func(b *testing.B) {
			var calm, attacked, times, byClients []float64
			var refused, ended int
			for b.Loop() {
				for range rounds {
					c, _, _ := target.wait(b, target.address, duration/3)
					a, r, e := target.wait(b, target.address, duration, attacks...)
					other, _, _ := target.wait(b, target.attackers.idle, duration/3, attacks...)
					calm, attacked = append(calm, ms(c)), append(attacked, ms(a))
					times, byClients = append(times, ms(a)/ms(c)), append(byClients, ms(other)/ms(c))
					refused, ended = refused+r, ended+e
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(calm), "calm-ms")
			b.ReportMetric(median(attacked), "attacked-ms")
			b.ReportMetric(median(times), "times")
			b.ReportMetric(median(byClients), "times-by-clients")
			b.ReportMetric(float64(refused), "refused")
			b.ReportMetric(float64(ended), "attacks")
			if memory, err := peakMemory(target.pid); err == nil {
				b.ReportMetric(memory, "MB")
			}
		})
	}
	for _, a := range target.attacks {
		measure(a.Name, a)
	}
	measure("all", target.attacks...)
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
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
