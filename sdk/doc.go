// Package sdk is what the author of a plugin writes a backend with.
//
// A backend is a program whose main calls [Serve] with the handlers it has:
//
//	func main() {
//		sdk.Serve(sdk.Plugin{
//			QueryData:   sdk.EachQuery(query),
//			CheckHealth: checkHealth,
//			Resources:   http.HandlerFunc(resources),
//		})
//	}
//
// A query handler gets one query at a time, its JSON already decoded into a
// struct of the author's, and returns frames. A frame is anything that can write
// itself in the Arrow file format, such as a *data.Frame of
// github.com/grafana/grafana-plugin-sdk-go/data:
//
//	type model struct {
//		Points int `json:"points"`
//	}
//
//	func query(ctx context.Context, q sdk.Query, m model) ([]sdk.Frame, error) {
//		if m.Points < 1 {
//			return nil, sdk.Errorf(http.StatusBadRequest, "points must be 1 or more, not %d", m.Points)
//		}
//		return []sdk.Frame{series(q.TimeRange, m.Points)}, nil
//	}
//
// Handlers find who is asking with [ContextOf], log with log/slog, and report
// what went wrong with an [*Error], which keeps what a user may read apart from
// the cause that only the log should hold. [HostFromEnv] gives a client of the
// host's own HTTP API, signed in as the plugin's service account.
//
// The package speaks the published protocol pluginv2 over go-plugin, so that the
// program runs in any host that does. It refuses to bring more than that along:
// frames, traces and metrics are the author's imports.
package sdk
