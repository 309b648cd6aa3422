package bench

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/internal/wire"
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
	testkit.OK(b, os.WriteFile(filepath.Join(dir, bundle.MetadataFile), []byte(metadata), 0o644))
	found, _ := bundle.Discover(dir)
	if len(found) != 1 {
		b.Fatalf("found %d plugins in %s", len(found), dir)
	}

	p := mount(b, dir, id)
	host, certificate := hostCertificate(b)
	var loaded, alone, bare, secure, minimal []time.Duration
	for range 20 {
		bare = append(bare, startTime(b, program))
		secure = append(secure, startTime(b, program, certificate))
		minimal = append(minimal, answer(b, program, host, certificate))
		begin := time.Now()
		client, _ := startAlone(b, program)
		alone = append(alone, time.Since(begin))
		client.Kill()
		begin = time.Now()
		testkit.OK(b, p.Restart(b.Context()))
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
			name: "start of a backend by the loader, fastest of 20", value: start / ms(slices.Min(minimal)), format: "%.2f x", bound: atMost(1.3),
			share: fmt.Sprintf("%.1f ms", start),
			others: fmt.Sprintf("copy, exec and first response: %.1f ms; until the handshake: %.1f ms, without TLS: %.1f ms; go-plugin alone: %.1f ms",
				ms(slices.Min(minimal)), ms(slices.Min(secure)), ms(slices.Min(bare)), ms(slices.Min(alone))),
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
	l := testkit.Must(loader.New(loader.Options{Dirs: []string{dir}}))(b)
	b.Cleanup(func() {
		if err := l.Close(); err != nil {
			b.Error(err)
		}
	})
	testkit.OK(b, l.Reload(b.Context()))
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
	victim := testkit.Must(os.FindProcess(p.Status().PID))(b)
	begin := time.Now()
	testkit.OK(b, victim.Kill())
	for {
		if _, err := p.QueryData(b.Context(), request); err == nil && p.Status().PID != victim.Pid {
			return time.Since(begin)
		}
	}
}

// hostCertificate returns a certificate of a host and the environment variable with it.
func hostCertificate(b *testing.B) (tls.Certificate, string) {
	b.Helper()
	certificate := testkit.Must(wire.NewCertificate())(b)
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]})
	return certificate, handshake.CertificateKey + "=" + string(text)
}

// answer copies a backend, starts the copy and returns the time to its first response, to a bare
// gRPC client with TLS: no host that runs backends from private copies can start it faster.
func answer(b *testing.B, program string, host tls.Certificate, certificate string) time.Duration {
	b.Helper()
	start := time.Now()
	program = copied(b, program)
	defer os.Remove(program) // before the system begins to write it to the disk
	line, _, stop := execute(b, program, certificate)
	defer stop()
	fields := strings.Split(strings.TrimSpace(line), "|")
	der := testkit.Must(base64.RawStdEncoding.DecodeString(fields[len(fields)-1]))(b)
	plugin := testkit.Must(x509.ParseCertificate(der))(b)
	config := &tls.Config{Certificates: []tls.Certificate{host}, ServerName: "localhost", RootCAs: x509.NewCertPool()}
	config.RootCAs.AddCert(plugin)
	connection := testkit.Must(grpc.NewClient("unix:"+fields[3], grpc.WithTransportCredentials(credentials.NewTLS(config))))(b)
	defer connection.Close()
	request := &grpc_health_v1.HealthCheckRequest{Service: wire.HealthService}
	testkit.Must(grpc_health_v1.NewHealthClient(connection).Check(b.Context(), request))(b)
	return time.Since(start)
}

// copied returns an executable copy of a program.
func copied(b *testing.B, program string) string {
	b.Helper()
	in := testkit.Must(os.Open(program))(b)
	defer in.Close()
	out := testkit.Must(os.OpenFile(filepath.Join(b.TempDir(), filepath.Base(program)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700))(b)
	testkit.Must(io.Copy(out, in))(b)
	testkit.OK(b, out.Close())
	return out.Name()
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
		testkit.OK(b, call())
	}
	return time.Since(begin) / n
}
