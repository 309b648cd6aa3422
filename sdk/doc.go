// Package sdk is what the author of a plugin writes a backend with.
//
// "slipway scaffold datasource acme-shop-datasource" makes a whole repository of a plugin,
// with its plugin.json; "slipway dev" runs it in a host and "slipway build" makes its dist.
// What follows is its backend, from nothing.
//
// # A data source in three steps
//
// A backend is a program, so it starts with package main. First say what an
// administrator enters for your data source, and what one data source is in your
// program:
//
//	type settings struct {
//		Region string `json:"region" required:"true"` // visible settings, by their JSON names
//		APIKey string `secret:"apiKey"`               // a secret, by its name
//	}
//
//	type source struct {
//		region string
//		client *httpclient.Client
//	}
//
// Then make one. The SDK calls this function when a data source is first used, shares
// what it returns among all requests, and calls it again when the settings have
// changed. If your type has a method Close() error, that is called once, when the last
// request on it has ended:
//
//	func newSource(ctx context.Context, ds sdk.DataSource, s settings) (*source, error) {
//		options, err := httpclient.FromDataSource(ds) // address, sign-in and TLS of the data source
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
// And serve it:
//
//	func main() {
//		sdk.Serve(sdk.DataSources(newSource).Plugin())
//	}
//
// An app is the same with [Apps] in the place of [DataSources].
//
// # What it can do
//
// follows from its methods. Give it those that you need; the host is told "not
// supported" for the others. A method with the right name and a wrong signature stops
// the program at its start, with the right one.
//
// Queries: [QueryDataHandler]. [EachQuery] makes one of a function for one query, whose
// JSON it decodes into a struct of yours; [QueryTypes] chooses by the query's type:
//
//	type model struct {
//		Points int `json:"points"`
//	}
//
//	func (s *source) QueryData(ctx context.Context, req *sdk.QueryDataRequest) (sdk.QueryDataResponse, error) {
//		return sdk.QueryTypes{
//			"":      sdk.EachQuery(s.series), // queries without a type
//			"total": sdk.EachQuery(s.total),
//		}.QueryData(ctx, req)
//	}
//
//	func (s *source) series(ctx context.Context, q sdk.Query, m model) ([]sdk.Frame, error) {
//		if m.Points < 1 {
//			return nil, sdk.Downstreamf(http.StatusBadRequest, "points must be 1 or more, not %d", m.Points)
//		}
//		times, values := make([]time.Time, m.Points), make([]float64, m.Points)
//		for n := range times {
//			times[n] = q.TimeRange.From.Add(time.Duration(n) * q.Interval)
//		}
//		return []sdk.Frame{frame.New("series", frame.Of("time", times), frame.Of("value", values))}, nil
//	}
//
// A frame is a table of columns. That of package sdk/frame is small; a *data.Frame of
// github.com/grafana/grafana-plugin-sdk-go/data, which brings more libraries along, is
// one as well, and so is anything else that writes itself in the Arrow file format.
//
// Health, for the button "Save & test": [CheckHealthHandler].
//
//	func (s *source) CheckHealth(ctx context.Context, req *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) {
//		name, err := httpclient.GetJSON[string](ctx, s.client, "v1", "name")
//		if err != nil {
//			return nil, err
//		}
//		return &sdk.CheckHealthResult{Status: sdk.HealthOK, Message: "connected to " + name}, nil
//	}
//
// Endpoints of your own, for your frontend: [net/http.Handler]. Embed a *http.ServeMux in
// your type and fill it where you make one. Paths are relative to the plugin.
// [HandlerFunc] lets a handler return its error, [WriteJSON] answers:
//
//	s.ServeMux = http.NewServeMux()
//	s.Handle("GET /regions", sdk.HandlerFunc(func(w http.ResponseWriter, r *http.Request) error {
//		list, err := httpclient.GetJSON[[]string](r.Context(), s.client, "v1", "regions")
//		if err != nil {
//			return err
//		}
//		return sdk.WriteJSON(w, list)
//	}))
//
// Streams: [StreamHandler], and [PublishStreamHandler] where users may send. The host
// asks for each subscriber, and runs a channel once for all of them:
//
//	func (s *source) SubscribeStream(ctx context.Context, req *sdk.StreamRequest) (json.RawMessage, error) {
//		if !s.has(req.Path) {
//			return nil, sdk.Downstreamf(http.StatusNotFound, "there is no region %q", req.Path)
//		}
//		return nil, nil
//	}
//
//	func (s *source) RunStream(ctx context.Context, req *sdk.StreamRequest, to *sdk.StreamSender) error {
//		for {
//			select {
//			case <-ctx.Done(): // nobody subscribes any more, or the settings have changed
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
// Return errors as you get them. What you say with [Errorf] (the plugin's fault) and
// [Downstreamf] (the query's, or that of the service behind you) is shown to users with
// its status; [Downstream] has a cause, which only the log gets. An error of net/http
// becomes "the upstream service did not answer in time" and the like by itself. See
// [Error].
//
// # The service behind you
//
// Package sdk/httpclient has a client with time-outs, a limit on answers, and the sign-in
// and TLS that were entered; its GetJSON reads most APIs. What a query holds never leads
// out of the service's address: build URLs with the client's method URL, or with
// [JoinURL].
//
// # The host
//
// [HostFromEnv] gives a client of the host's own API, signed in as the plugin's service
// account, when plugin.json asks for one with "iam". [ContextOf] says on whose behalf a
// call is made. Log with log/slog and the context of the call: the host gets the lines,
// with the data source and the trace they belong to. Standard output belongs to the
// protocol: print nothing to it.
//
// # Tests
//
// Package sdk/sdktest runs the plugin within a test, without a process or a port:
//
//	k := sdktest.Start(t, sdk.DataSources(newSource).Plugin())
//	k.Context.DataSource.URL = service.URL
//	k.Context.DataSource.JSON = []byte(`{"region":"north"}`)
//	answer := k.Query(sdk.Query{JSON: []byte(`{"points":3}`)})
//
// "slipway conformance dist" drives the built plugin through all that hosts may do to
// it. The folder examples of this module has whole plugins.
//
// # More
//
// Each of these is a package of its own, so that your program holds what you import, and
// not what else is listed in go.mod:
// sdk/metrics for Prometheus, sdk/tracing for OpenTelemetry, sdk/profiling for pprof,
// sdk/renderer and sdk/secretsmanager for those types of plugins.
//
// A plugin without data sources or with handlers of another shape fills a [Plugin]
// itself. [Client] is the other end, for hosts.
//
// The package speaks the published protocol pluginv2 over go-plugin, so that the
// program runs in any host that does.
package sdk
