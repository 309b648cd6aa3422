package sdk_test

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/backend"
	"github.com/slipway-dev/slipway/sdk/frame"
)

// bareServer is the baseline: the same messages without the SDK.
type bareServer struct {
	pluginv2.UnimplementedDataServer
	answer func() []byte // the frame of each query
}

func (s bareServer) QueryData(_ context.Context, in *pluginv2.QueryDataRequest) (*pluginv2.QueryDataResponse, error) {
	out := &pluginv2.QueryDataResponse{Responses: make(map[string]*pluginv2.DataResponse, len(in.Queries))}
	for _, q := range in.Queries {
		out.Responses[q.RefId] = &pluginv2.DataResponse{Status: 200, Frames: [][]byte{s.answer()}}
	}
	return out, nil
}

type benchSource struct{ answer func() sdk.Frame }

func (s benchSource) QueryData(ctx context.Context, req *sdk.QueryDataRequest) (sdk.QueryDataResponse, error) {
	return sdk.EachQuery(func(context.Context, sdk.Query, struct{}) ([]sdk.Frame, error) {
		return []sdk.Frame{s.answer()}, nil
	})(ctx, req)
}

// BenchmarkQueryData compares a query through the SDK, with an instance and its
// settings, to a bare gRPC service with the same messages over the same kind of socket.
// Rounds of both alternate; the metric is the median of the ratios of two adjacent rounds.
func BenchmarkQueryData(b *testing.B) {
	small := frame.New("small", frame.Of("time", []time.Time{time.Unix(1, 0)}), frame.Of("value", []float64{1}))
	small.RefID = "A"
	arrow := testkit.Must(small.MarshalArrow())(b)
	b.Run("small", func(b *testing.B) {
		compareQueries(b, 1000, func() []byte { return arrow }, func() sdk.Frame { return backend.ArrowFrame(arrow) })
	})
	large := largeFrame(100_000)
	encode := func() []byte {
		raw, err := large.MarshalArrow()
		if err != nil {
			panic(err)
		}
		return raw
	}
	b.Run("100k rows", func(b *testing.B) { compareQueries(b, 10, encode, func() sdk.Frame { return large }) })
}

func largeFrame(rows int) *frame.Frame {
	times, values := make([]time.Time, rows), make([]float64, rows)
	for n := range rows {
		times[n], values[n] = time.Unix(int64(n), 0), float64(n)
	}
	f := frame.New("large", frame.Of("time", times), frame.Of("value", values))
	f.RefID = "A"
	return f
}

func compareQueries(b *testing.B, calls int, bytes func() []byte, answer func() sdk.Frame) {
	bare := grpc.NewServer(grpc.MaxRecvMsgSize(1<<31-1), grpc.MaxSendMsgSize(1<<31-1))
	pluginv2.RegisterDataServer(bare, bareServer{answer: bytes})
	bareClient := pluginv2.NewDataClient(dial(b, bare))
	instances := sdk.DataSources(func(context.Context, sdk.DataSource, struct{}) (benchSource, error) { return benchSource{answer}, nil })
	client := backend.New(dial(b, instances.Plugin().NewServer(nil)))

	to := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	settings := sdk.Settings{JSON: []byte(`{"region":"north"}`), Secrets: map[string]string{"key": "k"}, Updated: to}
	req := &sdk.QueryDataRequest{
		Context: sdk.Context{OrgID: 1, PluginID: "p", User: &sdk.User{Login: "a", Role: "Admin"}, DataSource: &sdk.DataSource{UID: "u", Name: "n", Settings: settings}},
		Headers: map[string]string{"Authorization": "x"},
		Queries: []sdk.Query{{RefID: "A", JSON: []byte(`{"refId":"A"}`), TimeRange: sdk.TimeRange{From: to.Add(-time.Hour), To: to}, Interval: time.Second, MaxDataPoints: 100}},
	}
	wire := &pluginv2.QueryDataRequest{
		PluginContext: &pluginv2.PluginContext{
			OrgId: 1, PluginId: "p", User: &pluginv2.User{Login: "a", Role: "Admin"},
			DataSourceInstanceSettings: &pluginv2.DataSourceInstanceSettings{Uid: "u", Name: "n", JsonData: settings.JSON, DecryptedSecureJsonData: settings.Secrets, LastUpdatedMS: to.UnixMilli()},
		},
		Headers: req.Headers,
		Queries: []*pluginv2.DataQuery{{RefId: "A", Json: req.Queries[0].JSON, TimeRange: &pluginv2.TimeRange{FromEpochMS: 1, ToEpochMS: to.UnixMilli()}, IntervalMS: 1000, MaxDataPoints: 100}},
	}
	ours := func() {
		answers, err := client.QueryData(b.Context(), req)
		if err != nil || len(answers["A"].Frames) != 1 {
			b.Fatal(answers, err)
		}
	}
	floor := func() {
		out, err := bareClient.QueryData(b.Context(), wire)
		if err != nil || len(out.Responses["A"].Frames) != 1 {
			b.Fatal(err)
		}
	}
	var mine, bareTime, ratio []float64
	for b.Loop() {
		for range 45 {
			m, f := timeOf(calls, ours), timeOf(calls, floor)
			mine, bareTime, ratio = append(mine, m), append(bareTime, f), append(ratio, m/f)
		}
	}
	b.ReportMetric(median(ratio), "x_bare")
	b.ReportMetric(median(mine), "µs/query")
	b.ReportMetric(median(bareTime), "µs/bare")
	b.ReportMetric(0, "ns/op") // an iteration is a whole comparison
}

// timeOf returns the mean time of several calls in microseconds.
func timeOf(calls int, do func()) float64 {
	start := time.Now()
	for range calls {
		do()
	}
	return float64(time.Since(start)) / float64(calls) / float64(time.Microsecond)
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}

// dial serves on a Unix socket and connects to it.
func dial(b *testing.B, server *grpc.Server) *grpc.ClientConn {
	b.Helper()
	path := filepath.Join(b.TempDir(), "s")
	listener := testkit.Must(net.Listen("unix", path))(b)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	conn := testkit.Must(grpc.NewClient("unix:"+path, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(1<<31-1))))(b)
	b.Cleanup(func() {
		err := conn.Close()
		server.Stop()
		if e := <-served; err != nil || e != nil {
			b.Error(fmt.Errorf("%w, %w", err, e))
		}
	})
	return conn
}
