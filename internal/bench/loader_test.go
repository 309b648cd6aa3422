package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/wire/handshake"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/sdk"
)

// loaderFigures measures what the loader adds to go-plugin and gRPC for the hello data source
// without frames: the start of its process, a call, and the time from its end to the next
// response.
func loaderFigures(b *testing.B) []figure {
	const id = "acme-hello-datasource"
	dir := filepath.Join(b.TempDir(), id)
	program := filepath.Join(dir, bundle.Host().Executable("gpx_hello"))
	goCommand(b, root, "build", "-trimpath", "-buildvcs=false", build.CompilerFlags, "-ldflags=-s -w", "-o", program, "./sdk/testdata/footprint/lean")
	metadata := `{"id":"` + id + `","name":"Hello","type":"datasource","backend":true,"executable":"gpx_hello","info":{"version":"1.0.0"}}`
	if err := os.WriteFile(filepath.Join(dir, bundle.MetadataFile), []byte(metadata), 0o644); err != nil {
		b.Fatal(err)
	}
	found, _ := bundle.Discover(dir)
	if len(found) != 1 {
		b.Fatalf("found %d plugins in %s", len(found), dir)
	}

	p := mount(b, dir, id)
	var loaded, alone, bare []time.Duration
	for range 20 {
		bare = append(bare, timeHandshake(b, program))
		begin := time.Now()
		client, _ := startAlone(b, program)
		alone = append(alone, time.Since(begin))
		client.Kill()
		begin = time.Now()
		if err := p.Restart(b.Context()); err != nil {
			b.Fatal(err)
		}
		loaded = append(loaded, time.Since(begin))
	}
	request := &sdk.QueryDataRequest{Context: sdk.Context{PluginID: id, DataSource: &sdk.DataSource{UID: "u"}}, Queries: []sdk.Query{{RefID: "A"}}}
	through := func() error { _, err := p.QueryData(b.Context(), request); return err }
	client, connection := startAlone(b, program)
	defer client.Kill()
	data := pluginv2.NewDataClient(connection)
	directly := func() error {
		_, err := data.QueryData(b.Context(), &pluginv2.QueryDataRequest{
			PluginContext: &pluginv2.PluginContext{PluginId: id, DataSourceInstanceSettings: &pluginv2.DataSourceInstanceSettings{Uid: "u"}},
			Queries:       []*pluginv2.DataQuery{{RefId: "A", TimeRange: &pluginv2.TimeRange{}}},
		})
		return err
	}
	var calls, bareCalls []time.Duration
	var ratios []float64
	for i := range 200 {
		calls, bareCalls = append(calls, timeCalls(b, through)), append(bareCalls, timeCalls(b, directly))
		ratios = append(ratios, float64(calls[i])/float64(bareCalls[i]))
	}
	slices.Sort(ratios)

	var kills []time.Duration
	for range 5 {
		kills = append(kills, killed(b, dir, id, request))
	}
	start, call := ms(slices.Min(loaded)), ms(slices.Min(calls))
	return []figure{
		{
			name: "start of a backend by the loader, fastest of 20", value: start / ms(slices.Min(alone)), format: "%.2f x", bound: atMost(0.7),
			share:  fmt.Sprintf("%.1f ms", start),
			others: fmt.Sprintf("go-plugin alone: %.1f ms; exec and handshake: %.1f ms", ms(slices.Min(alone)), ms(slices.Min(bare))),
		},
		{
			name: "query through the loader, median of 200", value: ratios[len(ratios)/2], format: "%.2f x", bound: atMost(1.15),
			share: fmt.Sprintf("%.0f µs", 1000*call), others: fmt.Sprintf("gRPC alone: %.0f µs", 1000*ms(slices.Min(bareCalls))),
		},
		{name: "end of a backend to the next response, fastest of 5", value: ms(slices.Min(kills)), format: "%.0f ms", bound: atMost(400)},
	}
}

// mount returns a running plugin. It is stopped at the end of the benchmark.
func mount(b *testing.B, dir, id string) *loader.Plugin {
	b.Helper()
	l, err := loader.New(loader.Options{Dirs: []string{dir}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := l.Close(); err != nil {
			b.Error(err)
		}
	})
	if err := l.Reload(b.Context()); err != nil {
		b.Fatal(err)
	}
	p, ok := l.Plugin(id)
	if !ok || p.Status().State != loader.StateRunning {
		b.Fatalf("the plugin is not running: %v", l.Problems())
	}
	return p
}

// killed returns the time from the end of a backend to the first response of the next one.
func killed(b *testing.B, dir, id string, request *sdk.QueryDataRequest) time.Duration {
	b.Helper()
	p := mount(b, dir, id) // of its own: only the first restart is immediate
	victim, err := os.FindProcess(p.Status().PID)
	if err != nil {
		b.Fatal(err)
	}
	begin := time.Now()
	if err := victim.Kill(); err != nil {
		b.Fatal(err)
	}
	for {
		if _, err := p.QueryData(b.Context(), request); err == nil && p.Status().PID != victim.Pid {
			return time.Since(begin)
		}
	}
}

// startAlone starts a backend with the client of go-plugin and connects to it as the loader
// does.
func startAlone(b *testing.B, program string) (*goplugin.Client, *grpc.ClientConn) {
	b.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(b.Context()), program)
	cmd.Env = []string{}
	client := goplugin.NewClient(&goplugin.ClientConfig{
		HandshakeConfig:  goplugin.HandshakeConfig{MagicCookieKey: handshake.CookieKey, MagicCookieValue: handshake.CookieValue},
		VersionedPlugins: map[int]goplugin.PluginSet{handshake.AppProtocol: {}},
		Cmd:              cmd, AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC}, Logger: hclog.NewNullLogger(), AutoMTLS: true, SkipHostEnv: true,
		GRPCDialOptions: []grpc.DialOption{grpc.WithStaticStreamWindowSize(64 << 10), grpc.WithStaticConnWindowSize(1 << 20)},
	})
	protocol, err := client.Client()
	if err == nil {
		err = protocol.Ping()
	}
	g, ok := protocol.(*goplugin.GRPCClient)
	if err != nil || !ok {
		client.Kill()
		b.Fatalf("%s: %T, %v", program, protocol, err)
	}
	return client, g.Conn
}

// timeCalls returns the mean time of a call.
func timeCalls(b *testing.B, call func() error) time.Duration {
	b.Helper()
	const n = 20
	begin := time.Now()
	for range n {
		if err := call(); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(begin) / n
}
