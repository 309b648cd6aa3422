package sdk

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/slipway-dev/slipway/internal/wire"
	"github.com/slipway-dev/slipway/sdk/frame"
)

// QueryDataFunc handles all queries of a call. An error fails the whole call. To fail a
// single query, set DataResponse.Err.
type QueryDataFunc func(ctx context.Context, req *QueryDataRequest) (QueryDataResponse, error)

// QueryDataRequest is a set of queries.
type QueryDataRequest struct {
	Context Context
	Headers map[string]string // forwarded by the host; see ForwardedHeader
	Queries []Query
}

// Query is one query of a call.
type Query struct {
	RefID         string          // identifies the query within its call
	Type          string          // the query's "queryType", or ""
	JSON          json.RawMessage // the whole query, as the query editor saved it
	TimeRange     TimeRange
	Interval      time.Duration // suggested distance between points
	MaxDataPoints int64         // suggested maximum number of points in a series
}

// TimeRange includes From and To.
type TimeRange struct {
	From, To time.Time
}

// QueryDataResponse maps the RefID of each query to its response.
type QueryDataResponse map[string]DataResponse

// DataResponse is the response to one query: frames, an error, or both if the result is
// incomplete.
type DataResponse struct {
	Frames []Frame
	Err    error // see Error
	Status int   // HTTP status; 0 means that of Err, or 200
}

// Frame is a table of data that can write itself as an Arrow IPC file. Both
// *frame.Frame of package sdk/frame and *data.Frame of Grafana's SDK implement it. A
// frame without a RefID gets that of its query.
type Frame interface {
	MarshalArrow() ([]byte, error)
}

// QueryFunc handles one query, whose JSON was decoded into a value of type M.
type QueryFunc[M any] func(ctx context.Context, q Query, model M) ([]Frame, error)

// maxConcurrentQueries keeps one call from opening too many connections to a service.
const maxConcurrentQueries = 16

// EachQuery returns a QueryDataFunc that calls handle for each query, with up to 16
// calls at once. It decodes the JSON of the query into an M and, if M or *M has a
// method Validate() error, calls it. A query whose JSON is not valid fails with status
// 400. A query that fails or panics does not affect the others.
func EachQuery[M any](handle QueryFunc[M]) QueryDataFunc {
	return func(ctx context.Context, req *QueryDataRequest) (QueryDataResponse, error) {
		responses := make([]DataResponse, len(req.Queries))
		if len(req.Queries) == 1 {
			responses[0] = handleQuery(ctx, req.Queries[0], handle)
		} else {
			var group sync.WaitGroup
			free := make(chan struct{}, maxConcurrentQueries)
			for i, q := range req.Queries {
				free <- struct{}{}
				group.Go(func() {
					responses[i] = handleQuery(ctx, q, handle)
					<-free
				})
			}
			group.Wait()
		}
		out := make(QueryDataResponse, len(responses))
		for i, q := range req.Queries {
			out[q.RefID] = responses[i]
		}
		return out, nil
	}
}

func handleQuery[M any](ctx context.Context, q Query, handle QueryFunc[M]) (r DataResponse) {
	defer func() {
		if p := recover(); p != nil {
			r = panicResponse(ctx, q.RefID, p)
		}
	}()
	var model M
	if len(q.JSON) > 0 {
		if err := json.Unmarshal(q.JSON, &model); err != nil {
			return DataResponse{Err: &Error{Status: http.StatusBadRequest, Source: SourceDownstream,
				Message: "invalid query: " + describeJSONError(err), Cause: err}}
		}
	}
	if err := validate(&model); err != nil {
		return DataResponse{Err: &Error{Status: http.StatusBadRequest, Source: SourceDownstream,
			Message: "invalid query: " + err.Error(), Cause: err}}
	}
	frames, err := handle(ctx, q, model)
	return DataResponse{Frames: frames, Err: err}
}

func panicResponse(ctx context.Context, refID string, p any) DataResponse {
	loggerOf(ctx).ErrorContext(ctx, "a query handler panicked", "refId", refID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	_ = grpc.SetTrailer(ctx, metadata.Pairs(wire.TrailerPanic, wire.ReasonPanic)) // fails only outside of a call
	return DataResponse{Err: Errorf(http.StatusInternalServerError, "the plugin failed on this query; see its log")}
}

// QueryTypes maps each query type to its handler. The key "" is for queries that have no
// type. The QueryData method is a QueryDataFunc that passes each query to the handler of
// its type. The handlers run concurrently. A query of any other type fails with status
// 400.
type QueryTypes map[string]QueryDataFunc

// QueryData calls the handlers of the queries. An error from a handler fails only the
// queries of its type.
func (t QueryTypes) QueryData(ctx context.Context, req *QueryDataRequest) (QueryDataResponse, error) {
	byType := map[string][]Query{}
	for _, q := range req.Queries {
		byType[q.Type] = append(byType[q.Type], q)
	}
	out := make(QueryDataResponse, len(req.Queries))
	var mu sync.Mutex
	var group sync.WaitGroup
	for kind, queries := range byType {
		group.Go(func() {
			responses := t.handle(ctx, kind, &QueryDataRequest{Context: req.Context, Headers: req.Headers, Queries: queries})
			mu.Lock()
			defer mu.Unlock()
			for _, q := range queries {
				if r, ok := responses[q.RefID]; ok {
					out[q.RefID] = r
				}
			}
		})
	}
	group.Wait()
	return out, nil
}

func (t QueryTypes) handle(ctx context.Context, kind string, req *QueryDataRequest) (responses QueryDataResponse) {
	respondToAll := func(r DataResponse) {
		responses = make(QueryDataResponse, len(req.Queries))
		for _, q := range req.Queries {
			responses[q.RefID] = r
		}
	}
	handle, ok := t[kind]
	if !ok {
		respondToAll(DataResponse{Err: Downstreamf(http.StatusBadRequest, "unknown query type %q, expected one of %q", kind,
			slices.Sorted(maps.Keys(t)))})
		return responses
	}
	defer func() {
		if p := recover(); p != nil {
			respondToAll(panicResponse(ctx, req.Queries[0].RefID, p))
		}
	}()
	responses, err := handle(ctx, req)
	if err != nil {
		respondToAll(DataResponse{Err: err})
	}
	return responses
}

type dataServer struct {
	pluginv2.UnimplementedDataServer
	handle QueryDataFunc
}

// QueryData implements pluginv2.DataServer.
func (s dataServer) QueryData(ctx context.Context, in *pluginv2.QueryDataRequest) (*pluginv2.QueryDataResponse, error) {
	req := &QueryDataRequest{Context: contextFromWire(in.GetPluginContext()), Headers: in.GetHeaders()}
	for _, q := range in.GetQueries() {
		req.Queries = append(req.Queries, queryFromWire(q))
	}
	ctx = withContext(ctx, req.Context, req.Headers)
	responses, err := s.handle(ctx, req)
	if err != nil {
		return nil, rpcError(ctx, err)
	}
	out := &pluginv2.QueryDataResponse{Responses: make(map[string]*pluginv2.DataResponse, len(req.Queries))}
	for id, r := range responses {
		out.Responses[id] = responseToWire(ctx, id, r)
	}
	for _, q := range req.Queries {
		if _, ok := responses[q.RefID]; !ok {
			err := Errorf(http.StatusInternalServerError, "the plugin returned no response to query %s", q.RefID)
			out.Responses[q.RefID] = responseToWire(ctx, q.RefID, DataResponse{Err: err})
		}
	}
	return out, nil
}

func queryFromWire(in *pluginv2.DataQuery) Query {
	return Query{
		RefID: in.GetRefId(), Type: in.GetQueryType(), JSON: in.GetJson(),
		TimeRange:     TimeRange{From: time.UnixMilli(in.GetTimeRange().GetFromEpochMS()), To: time.UnixMilli(in.GetTimeRange().GetToEpochMS())},
		Interval:      time.Duration(in.GetIntervalMS()) * time.Millisecond,
		MaxDataPoints: in.GetMaxDataPoints(),
	}
}

// responseToWire encodes the response to a query. The cause of its error goes to the log. A frame that
// cannot be written fails this query only.
func responseToWire(ctx context.Context, refID string, r DataResponse) *pluginv2.DataResponse {
	out := &pluginv2.DataResponse{Status: int32(r.Status)}
	for _, f := range r.Frames {
		b, err := marshalFrame(refID, f)
		if err != nil {
			r.Err = &Error{Message: "the plugin could not write a frame of query " + refID, Cause: err}
			break
		}
		out.Frames = append(out.Frames, b)
	}
	if r.Err != nil {
		code, source, message := describe(r.Err)
		loggerOf(ctx).ErrorContext(ctx, "a query failed", "refId", refID, "status", code, "errorSource", source, "error", r.Err)
		out.Error, out.ErrorSource = wire.Text(message), string(source)
		if r.Status == 0 {
			out.Status = int32(code)
		}
	} else if r.Status == 0 {
		out.Status = http.StatusOK
	}
	return out
}

// marshalFrame writes a frame, with refID if it has no RefID, since hosts match frames
// to queries by it. It does not change f, which the author may use again.
func marshalFrame(refID string, f Frame) (file []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("write frame: panic: %v", p)
		}
	}()
	if own, ok := f.(*frame.Frame); ok && own != nil && own.RefID == "" {
		named := *own
		named.RefID = refID
		return named.MarshalArrow()
	}
	file, err = f.MarshalArrow()
	if err != nil {
		return nil, err
	}
	return frame.FillRefID(file, refID), nil
}
