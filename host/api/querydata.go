package api

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/backend"
	"github.com/slipway-dev/slipway/backend/arrow"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/sdk"
)

// queryHead is the part of a query that the host reads. The plugin receives all of it.
type queryHead struct {
	RefID         string        `json:"refId"`
	QueryType     string        `json:"queryType"`
	IntervalMS    int64         `json:"intervalMs"`
	MaxDataPoints int64         `json:"maxDataPoints"`
	Datasource    dataSourceRef `json:"datasource"`
}

// dataSourceRef refers to a data source in a query.
type dataSourceRef struct {
	UID  string `json:"uid"`
	Type string `json:"type"` // the id of its plugin
}

// queryResult is the result of one query.
type queryResult struct {
	Status      int               `json:"status"`
	Frames      []json.RawMessage `json:"frames"`
	Error       string            `json:"error,omitempty"`
	ErrorSource sdk.Source        `json:"errorSource,omitempty"`
}

const (
	defaultInterval      = 1000 // milliseconds
	maxInterval          = math.MaxInt64 / int64(time.Millisecond)
	defaultMaxDataPoints = 100
	maxQueries           = 200
	atOnce               = 8 // data sources that one request queries in parallel
	frameFactor          = 4 // bytes that a byte of an Arrow file takes, with its JSON
)

type queryBody struct {
	From    json.RawMessage   `json:"from"`
	To      json.RawMessage   `json:"to"`
	Queries []json.RawMessage `json:"queries" jsonschema:"required"`
}

type queryResults struct {
	Results map[string]queryResult `json:"results"` // by refId

	release func() // of the memory for the frames
}

// status is 207 if a query failed.
func (r queryResults) status() int {
	for _, result := range r.Results {
		if result.Error != "" {
			return http.StatusMultiStatus
		}
	}
	return http.StatusOK
}

// queryData runs queries, those of several data sources in parallel. If a query fails,
// its result contains the error.
func (a *API) queryData(ctx context.Context, who host.Identity, in struct{ Body queryBody }) (queryResults, error) {
	queries, err := a.parseQueries(in.Body)
	if err != nil {
		return queryResults{}, err
	}
	ctx, release := loader.Lease(ctx, frameFactor)
	return queryResults{a.queryAll(ctx, who, queries), release}, nil
}

// respond writes the results piece by piece: encoding/json would copy all frames twice.
func (r queryResults) respond(w http.ResponseWriter, status int) error {
	defer r.release()
	pieces, err := r.pieces()
	if err != nil {
		return err
	}
	length := 0
	for _, piece := range pieces {
		length += len(piece)
	}
	setJSON(w.Header(), length)
	w.WriteHeader(status)
	b := bufio.NewWriter(w)
	for _, piece := range pieces {
		_, _ = b.Write(piece) // Flush returns the error
	}
	return b.Flush()
}

// pieces returns the results as JSON in pieces, of which each frame is one.
func (r queryResults) pieces() ([][]byte, error) {
	pieces := [][]byte{[]byte(`{"results":{`)}
	for i, refID := range slices.Sorted(maps.Keys(r.Results)) {
		name, err := json.Marshal(refID)
		if err != nil {
			return nil, err
		}
		result := r.Results[refID]
		end, err := json.Marshal(struct {
			Error       string     `json:"error,omitempty"`
			ErrorSource sdk.Source `json:"errorSource,omitempty"`
		}{result.Error, result.ErrorSource})
		if err != nil {
			return nil, err
		}
		if i > 0 {
			pieces = append(pieces, []byte(","))
		}
		pieces = append(pieces, fmt.Appendf(name, `:{"status":%d,"frames":[`, result.Status))
		for n, frame := range result.Frames {
			if n > 0 {
				pieces = append(pieces, []byte(","))
			}
			pieces = append(pieces, frame)
		}
		pieces = append(pieces, []byte("]"))
		if len(end) > len("{}") {
			end[0] = ','
			pieces = append(pieces, end)
		} else {
			pieces = append(pieces, []byte("}"))
		}
	}
	return append(pieces, []byte("}}")), nil
}

// parseQueries groups the queries of a request by data source.
func (a *API) parseQueries(body queryBody) (map[dataSourceRef][]sdk.Query, error) {
	if n := len(body.Queries); n == 0 || n > maxQueries {
		return nil, host.Invalid("queries", "must be an array of 1 to %d queries, found %d", maxQueries, n)
	}
	span, err := timeRange(body.From, body.To, a.clock())
	if err != nil {
		return nil, err
	}
	asked := map[dataSourceRef][]sdk.Query{}
	refs := map[string]bool{}
	for i, raw := range body.Queries {
		field := fmt.Sprintf("queries[%d]", i)
		var head queryHead
		if err := json.Unmarshal(raw, &head); err != nil {
			return nil, host.Invalid(field, "%s", bodyError(raw, err))
		}
		head.RefID = cmp.Or(head.RefID, "A")
		ref := head.Datasource
		if ref.UID != "" {
			ref.Type = "" // the uid is enough
		}
		switch {
		case refs[head.RefID]:
			return nil, host.Invalid(field+".refId", "must be unique, found %q twice", head.RefID)
		case ref == dataSourceRef{}:
			return nil, host.Invalid(field+".datasource", "is required and must contain the uid or the type of the data source")
		case head.IntervalMS < 0 || head.IntervalMS > maxInterval:
			return nil, host.Invalid(field+".intervalMs", "must be from 0 to %d", int64(maxInterval))
		case head.MaxDataPoints < 0:
			return nil, host.Invalid(field+".maxDataPoints", "must not be negative")
		}
		refs[head.RefID] = true
		asked[ref] = append(asked[ref], sdk.Query{
			RefID: head.RefID, Type: head.QueryType, JSON: raw, TimeRange: span,
			Interval:      time.Duration(cmp.Or(head.IntervalMS, defaultInterval)) * time.Millisecond,
			MaxDataPoints: cmp.Or(head.MaxDataPoints, defaultMaxDataPoints),
		})
	}
	return asked, nil
}

// queryAll queries several data sources at a time.
func (a *API) queryAll(ctx context.Context, who host.Identity, asked map[dataSourceRef][]sdk.Query) map[string]queryResult {
	results := map[string]queryResult{}
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(atOnce)
	for ref, queries := range asked {
		group.Go(func() error {
			part := a.queryOne(ctx, who, ref, queries)
			mu.Lock()
			defer mu.Unlock()
			maps.Copy(results, part)
			return nil
		})
	}
	_ = group.Wait() // each failure is in its result
	return results
}

func failAll(queries []sdk.Query, status int, source sdk.Source, text string) map[string]queryResult {
	results := map[string]queryResult{}
	for _, q := range queries {
		results[q.RefID] = queryResult{Status: status, Frames: []json.RawMessage{}, Error: text, ErrorSource: source}
	}
	return results
}

// queryOne queries one data source. A panic fails only its queries.
func (a *API) queryOne(ctx context.Context, who host.Identity, ref dataSourceRef, queries []sdk.Query) (results map[string]queryResult) {
	defer func() {
		if value := recover(); value != nil {
			a.log.ErrorContext(ctx, "panic", "panic", value, "stack", string(debug.Stack()))
			results = failAll(queries, http.StatusInternalServerError, sdk.SourcePlugin, "the query failed; the log of the host has details")
		}
	}()
	p, d, err := a.dataSourceFor(ctx, who, ref)
	if refusal, ok := errors.AsType[*host.Error](err); ok {
		return failAll(queries, statusOf(err), sdk.SourcePlugin, refusal.Error())
	}
	if err != nil {
		a.log.ErrorContext(ctx, "query failed", "uid", ref.UID, "type", ref.Type, "error", err)
		return failAll(queries, http.StatusInternalServerError, sdk.SourcePlugin, "cannot read the data source")
	}
	responses, err := p.QueryData(ctx, &sdk.QueryDataRequest{
		Context: contextOf(p, who, settings{dataSource: &d}), Headers: headersFor(ctx, who, p, &d), Queries: queries,
	})
	if err != nil {
		a.log.ErrorContext(ctx, "query failed", "plugin", p.ID(), "uid", d.UID, "error", err)
		status, source, text := queryError(err)
		return failAll(queries, status, source, text)
	}
	results = failAll(queries, http.StatusBadGateway, sdk.SourcePlugin, "the plugin sent no response to this query")
	for refID := range results {
		if r, ok := responses[refID]; ok {
			results[refID] = resultOf(r)
		}
	}
	return results
}

// resultOf converts a response. It keeps frames that came with an error.
func resultOf(r sdk.DataResponse) queryResult {
	out := queryResult{Status: r.Status, Frames: []json.RawMessage{}}
	if r.Err != nil {
		_, out.ErrorSource, out.Error = queryError(r.Err)
	}
	for _, f := range r.Frames {
		frame, err := frameJSON(f)
		if err != nil {
			out.Status, out.Error, out.ErrorSource = http.StatusBadGateway, err.Error(), sdk.SourcePlugin
			break
		}
		out.Frames = append(out.Frames, frame)
	}
	return out
}

func queryError(err error) (status int, source sdk.Source, text string) {
	if e, ok := errors.AsType[*sdk.Error](err); ok {
		return e.Status, e.Source, e.Message
	}
	if errors.Is(err, backend.ErrUnsupported) {
		return http.StatusNotImplemented, sdk.SourcePlugin, "the plugin does not support queries"
	}
	return http.StatusBadGateway, sdk.SourcePlugin, "cannot reach the plugin"
}

// frameJSON encodes a frame as JSON.
func frameJSON(f sdk.Frame) (json.RawMessage, error) {
	file, err := f.MarshalArrow()
	if err != nil {
		return nil, fmt.Errorf("the plugin sent a frame that cannot be read: %w", err)
	}
	frame, err := arrow.Decode(file)
	if err != nil {
		return nil, fmt.Errorf("the plugin sent a frame that cannot be read: %w", err)
	}
	return arrow.ToJSON(frame)
}
