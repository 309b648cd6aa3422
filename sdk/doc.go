// Package sdk is a library for writing the backend of a plugin.
//
// To start, run "slipway scaffold datasource acme-shop-datasource". It creates a plugin
// repository with a backend like the one below; "slipway dev" runs it in a host, and
// "slipway build" builds it for distribution.
//
// # A data source
//
// A backend is a program. Declare its settings, which an administrator enters for each
// data source, and a type for the instances of the data source:
//
//	type settings struct {
//		Region string `json:"region" required:"true"`
//		APIKey string `secret:"apiKey"`
//	}
//
//	type source struct {
//		region string
//		client *httpclient.Client
//	}
//
// Write a function that creates an instance. The SDK calls it when a data source is
// first used and after its settings have changed, and shares the instance among calls.
// If the type has a method Close() error, the SDK calls it after the last call:
//
//	func newSource(ctx context.Context, ds sdk.DataSource, s settings) (*source, error) {
//		options, err := httpclient.FromDataSource(ds) // URL, authentication and TLS
//		if err != nil {
//			return nil, err
//		}
//		client, err := httpclient.New(options)
//		if err != nil {
//			return nil, err
//		}
//		return &source{region: s.Region, client: client}, nil
//	}
//
//	func (s *source) Close() error { return s.client.Close() }
//
// Serve the plugin:
//
//	func main() {
//		sdk.Serve(sdk.DataSources(newSource).Plugin())
//	}
//
// For an app plugin, use [Apps] instead of [DataSources].
//
// # Handlers
//
// The methods of your type determine what the plugin supports.
//
// To handle queries, implement [QueryDataHandler]. [EachQuery] calls a function for each
// query, with the query's JSON decoded into a struct, and [QueryTypes] selects a handler
// by the type of the query:
//
//	type model struct {
//		Points int `json:"points"`
//	}
//
//	func (s *source) QueryData(ctx context.Context, req *sdk.QueryDataRequest) (sdk.QueryDataResponse, error) {
//		return sdk.EachQuery(s.series)(ctx, req)
//	}
//
//	func (s *source) series(ctx context.Context, q sdk.Query, m model) ([]sdk.Frame, error) {
//		if m.Points < 1 {
//			return nil, sdk.Downstreamf(http.StatusBadRequest, "points must be at least 1, found %d", m.Points)
//		}
//		times, values := make([]time.Time, m.Points), make([]float64, m.Points)
//		for n := range times {
//			times[n] = q.TimeRange.From.Add(time.Duration(n) * q.Interval)
//		}
//		return []sdk.Frame{frame.New("series", frame.Of("time", times), frame.Of("value", values))}, nil
//	}
//
// A [Frame] is a table of data. Package sdk/frame is a small implementation.
//
// For the "Save & test" button, implement [CheckHealthHandler]:
//
//	func (s *source) CheckHealth(ctx context.Context, req *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) {
//		name, err := httpclient.GetJSON[string](ctx, s.client, "v1", "name")
//		if err != nil {
//			return nil, err
//		}
//		return &sdk.CheckHealthResult{Status: sdk.HealthOK, Message: "connected to " + name}, nil
//	}
//
// For HTTP endpoints that the plugin's frontend calls, implement [http.Handler], for
// example by embedding an *http.ServeMux. Paths are relative to the plugin.
// [HandlerFunc] allows a handler to return an error:
//
//	mux.Handle("GET /regions", sdk.HandlerFunc(func(w http.ResponseWriter, r *http.Request) error {
//		list, err := httpclient.GetJSON[[]string](r.Context(), s.client, "v1", "regions")
//		if err != nil {
//			return err
//		}
//		return sdk.WriteJSON(w, list)
//	}))
//
// For live data, implement [StreamHandler], whose SubscribeStream decides who may subscribe,
// and [PublishStreamHandler] if users can send messages:
//
//	func (s *source) RunStream(ctx context.Context, req *sdk.StreamRequest, to *sdk.StreamSender) error {
//		for {
//			select {
//			case <-ctx.Done(): // the last subscriber left, or the settings have changed
//				return nil
//			case sale := <-s.sales(req.Path):
//				if err := to.Send(frame.New(req.Path, frame.Of("price", []float64{sale.Price}))); err != nil {
//					return err
//				}
//			}
//		}
//	}
//
// # Errors
//
// A handler may return any error. An [*Error] determines what users see, and the status
// and the source that the host records. Create one with [Errorf] for a plugin error, or
// with [Downstreamf] or [Downstream] for an error caused by the query or by the service
// behind the plugin. Errors from net/http become messages such as "the upstream service
// timed out".
//
// # Calling the service and the host
//
// Package sdk/httpclient is an HTTP client with timeouts, a size limit, and the
// authentication and TLS settings of the data source. Build URLs with the client's URL
// method or with [JoinURL], so that a value in a query cannot lead to another path.
//
// Package sdk/hostapi is a client for the host's HTTP API. [ContextOf] returns the
// Context of a call, which describes on whose behalf it is made. Its [Config] has the
// URL, the feature toggles and the limits of the host, and the settings that the operator
// of the host has configured for the plugin. Log with log/slog and the context of the call:
// the host records the data source and the trace with each line.
//
// # Tests
//
// Package sdk/sdktest runs a plugin inside the test process:
//
//	k := sdktest.Start(t, sdk.DataSources(newSource).Plugin())
//	k.Context.DataSource.URL = service.URL
//	k.Context.DataSource.JSON = []byte(`{"region": "north"}`)
//	response := k.Query(sdk.Query{JSON: []byte(`{"points": 3}`)})
//
// "slipway conformance dist" checks a built plugin against everything that a host may
// send. The examples directory of this module contains complete plugins.
//
// # Other packages
//
// sdk/metrics exports Prometheus metrics, sdk/tracing sends OpenTelemetry traces, and
// sdk/profiling serves pprof profiles. sdk/renderer and sdk/secretsmanager support the
// plugin types of those names. To write a plugin without instances, set the handlers of a
// [Plugin].
//
// The package speaks the published protocol pluginv2 over go-plugin, so that a backend
// runs in every host that supports it. Existing hosts are those other than Slipway's,
// such as Grafana.
package sdk
