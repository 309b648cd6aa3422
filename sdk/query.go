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
)

// QueryDataFunc answers all queries of one request. An error fails the whole
// request; to fail one query, set its DataResponse.Err.
type QueryDataFunc func(ctx context.Context, req *QueryDataRequest) (QueryDataResponse, error)

// QueryDataRequest is a set of queries that are asked together.
type QueryDataRequest struct {
	Context Context
	Headers map[string]string // forwarded by the host
	Queries []Query
}

// Query is one query of a request.
type Query struct {
	RefID         string // names the query within its request
	Type          string // "queryType" of its JSON
	JSON          json.RawMessage
	TimeRange     TimeRange
	Interval      time.Duration // suggested distance between points
	MaxDataPoints int64
}

// TimeRange is [From, To].
type TimeRange struct {
	From, To time.Time
}

// QueryDataResponse holds the answers by RefID.
type QueryDataResponse map[string]DataResponse

// DataResponse is the answer to one query: frames or an error, or both when the
// answer is incomplete.
type DataResponse struct {
	Frames []Frame
	Err    error // an *Error says status and source
	Status int   // HTTP status; 0 for 200, or what Err says
}

// Frame is a table of data that can write itself in the Arrow IPC file format.
type Frame interface {
	MarshalArrow() ([]byte, error)
}

// QueryFunc answers one query, whose JSON has been decoded into a struct M.
type QueryFunc[M any] func(ctx context.Context, q Query, model M) ([]Frame, error)

// queriesAtOnce keeps one request from opening more connections to a service than it
// bears.
const queriesAtOnce = 16

// EachQuery makes a QueryDataFunc of a function that answers one query. The JSON
// of a query is decoded into M first, and checked if M has a method Validate() error;
// JSON that does not fit fails that query with status 400. Up to 16 queries run at once,
// and one that fails or panics leaves the others alone.
func EachQuery[M any](answer QueryFunc[M]) QueryDataFunc {
	return func(ctx context.Context, req *QueryDataRequest) (QueryDataResponse, error) {
		answers := make([]DataResponse, len(req.Queries))
		if len(req.Queries) == 1 {
			answers[0] = answerOne(ctx, req.Queries[0], answer)
		} else {
			var group sync.WaitGroup
			free := make(chan struct{}, queriesAtOnce)
			for i, q := range req.Queries {
				free <- struct{}{}
				group.Go(func() {
					answers[i] = answerOne(ctx, q, answer)
					<-free
				})
			}
			group.Wait()
		}
		out := make(QueryDataResponse, len(answers))
		for i, q := range req.Queries {
			out[q.RefID] = answers[i]
		}
		return out, nil
	}
}

func answerOne[M any](ctx context.Context, q Query, answer QueryFunc[M]) (r DataResponse) {
	defer func() {
		if p := recover(); p != nil {
			r = panicked(ctx, q.RefID, p)
		}
	}()
	var model M
	if len(q.JSON) > 0 {
		if err := json.Unmarshal(q.JSON, &model); err != nil {
			return DataResponse{Err: &Error{Status: http.StatusBadRequest, Source: SourceDownstream, Message: "the query cannot be read: " + jsonFault(err), Cause: err}}
		}
	}
	if err := check(&model); err != nil {
		return DataResponse{Err: &Error{Status: http.StatusBadRequest, Source: SourceDownstream, Message: "the query is not right: " + err.Error(), Cause: err}}
	}
	frames, err := answer(ctx, q, model)
	return DataResponse{Frames: frames, Err: err}
}

// panicked is the answer of a handler that panicked with p.
func panicked(ctx context.Context, refID string, p any) DataResponse {
	logOf(ctx).ErrorContext(ctx, "a query handler panicked", "refId", refID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	_ = grpc.SetTrailer(ctx, metadata.Pairs(wire.TrailerPanic, wire.ReasonPanic)) // fails only outside of a call
	return DataResponse{Err: Errorf(http.StatusInternalServerError, "the plugin failed on this query: its log says why")}
}

// QueryTypes has a handler for each query type, "" for queries without one. Its
// method QueryData asks each handler its queries, concurrently. A query of another
// type fails with status 400 and the types that there are.
type QueryTypes map[string]QueryDataFunc

// QueryData is a QueryDataFunc. An error of one handler fails the queries of its
// type only.
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
			answers := t.answer(ctx, kind, &QueryDataRequest{Context: req.Context, Headers: req.Headers, Queries: queries})
			mu.Lock()
			defer mu.Unlock()
			for _, q := range queries {
				if a, answered := answers[q.RefID]; answered {
					out[q.RefID] = a
				}
			}
		})
	}
	group.Wait()
	return out, nil
}

func (t QueryTypes) answer(ctx context.Context, kind string, req *QueryDataRequest) (answers QueryDataResponse) {
	failAll := func(r DataResponse) {
		answers = make(QueryDataResponse, len(req.Queries))
		for _, q := range req.Queries {
			answers[q.RefID] = r
		}
	}
	handle, known := t[kind]
	if !known {
		failAll(DataResponse{Err: Downstreamf(http.StatusBadRequest, "the query type %q is not known: there are %q", kind, slices.Sorted(maps.Keys(t)))})
		return answers
	}
	defer func() {
		if p := recover(); p != nil {
			failAll(panicked(ctx, req.Queries[0].RefID, p))
		}
	}()
	answers, err := handle(ctx, req)
	if err != nil {
		failAll(DataResponse{Err: err})
	}
	return answers
}

type dataServer struct {
	pluginv2.UnimplementedDataServer
	handle QueryDataFunc
}

// QueryData adapts the call of the protocol to the handler.
func (s dataServer) QueryData(ctx context.Context, in *pluginv2.QueryDataRequest) (*pluginv2.QueryDataResponse, error) {
	req := &QueryDataRequest{Context: contextFromWire(in.GetPluginContext()), Headers: in.GetHeaders()}
	for _, q := range in.GetQueries() {
		req.Queries = append(req.Queries, queryFromWire(q))
	}
	ctx = withContext(ctx, req.Context, req.Headers)
	answers, err := s.handle(ctx, req)
	if err != nil {
		return nil, rpcError(ctx, err)
	}
	out := &pluginv2.QueryDataResponse{Responses: make(map[string]*pluginv2.DataResponse, len(req.Queries))}
	for id, a := range answers {
		out.Responses[id] = dataToWire(ctx, id, a)
	}
	for _, q := range req.Queries {
		if _, answered := answers[q.RefID]; !answered {
			err := Errorf(http.StatusInternalServerError, "the plugin gave no answer to query %s", q.RefID)
			out.Responses[q.RefID] = dataToWire(ctx, q.RefID, DataResponse{Err: err})
		}
	}
	return out, nil
}
