package sdk

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
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

// ArrowFrame is a frame that has been written already.
type ArrowFrame []byte

// MarshalArrow returns the frame's bytes.
func (f ArrowFrame) MarshalArrow() ([]byte, error) { return f, nil }

// EachQuery makes a QueryDataFunc of a function that answers one query. The JSON
// of a query is decoded into M first; JSON that does not fit fails that query with
// status 400. Queries run concurrently, and one that fails or panics leaves the
// others alone.
func EachQuery[M any](answer func(ctx context.Context, q Query, model M) ([]Frame, error)) QueryDataFunc {
	return func(ctx context.Context, req *QueryDataRequest) (QueryDataResponse, error) {
		answers := make([]DataResponse, len(req.Queries))
		var group sync.WaitGroup
		for i, q := range req.Queries {
			group.Go(func() { answers[i] = answerOne(ctx, q, answer) })
		}
		group.Wait()
		out := make(QueryDataResponse, len(answers))
		for i, q := range req.Queries {
			out[q.RefID] = answers[i]
		}
		return out, nil
	}
}

func answerOne[M any](ctx context.Context, q Query, answer func(context.Context, Query, M) ([]Frame, error)) (r DataResponse) {
	defer func() {
		if p := recover(); p != nil {
			slog.ErrorContext(ctx, "a query handler panicked", "refId", q.RefID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			r = DataResponse{Err: Errorf(http.StatusInternalServerError, "the plugin failed on this query: its log says why")}
		}
	}()
	var model M
	if len(q.JSON) > 0 {
		if err := json.Unmarshal(q.JSON, &model); err != nil {
			return DataResponse{Err: &Error{Status: http.StatusBadRequest, Source: SourceDownstream, Message: "the query cannot be read: " + err.Error(), Cause: err}}
		}
	}
	frames, err := answer(ctx, q, model)
	return DataResponse{Frames: frames, Err: err}
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
	answers, err := s.handle(withContext(ctx, req.Context), req)
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

// rpcError makes the error of a whole call: the message for users goes over the
// wire, the cause goes to the log.
func rpcError(ctx context.Context, err error) error {
	code, _, message := describe(err)
	slog.ErrorContext(ctx, "a call failed", "status", code, "error", err)
	return status.Error(grpcCode(code), wireText(message))
}

func grpcCode(httpStatus int) codes.Code {
	switch httpStatus {
	case http.StatusBadRequest:
		return codes.InvalidArgument
	case http.StatusUnauthorized:
		return codes.Unauthenticated
	case http.StatusForbidden:
		return codes.PermissionDenied
	case http.StatusNotFound:
		return codes.NotFound
	case http.StatusBadGateway, http.StatusServiceUnavailable:
		return codes.Unavailable
	case http.StatusGatewayTimeout:
		return codes.DeadlineExceeded
	}
	return codes.Unknown
}
