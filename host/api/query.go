package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/builtin"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/internal/text"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/backend"
	"github.com/slipway-dev/slipway/sdk/frame"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

type queryBody struct {
	rangeBody
	Queries []json.RawMessage `json:"queries" jsonschema:"required"`
}

type queryResults struct{ hostapi.QueryResults }

// status is 207 if a query failed.
func (r queryResults) status() int {
	for _, result := range r.Results {
		if result.Error != "" {
			return http.StatusMultiStatus
		}
	}
	return http.StatusOK
}

// queryData runs queries, those of several data sources in parallel. If a query fails, its
// result contains the error. Hidden queries are not sent.
func (a *API) queryData(ctx context.Context, who host.Identity, in struct{ Body queryBody }) (queryResults, error) {
	queries, err := parseQueries(in.Body, a.Clock())
	if err != nil {
		return queryResults{}, err
	}
	queries = slices.DeleteFunc(queries, func(q dataQuery) bool { return q.isHidden })
	return queryResults{hostapi.QueryResults{Results: a.queryAll(ctx, who, queries)}}, nil
}

// queryAll queries several data sources at a time. It returns the results by refId. A
// result that no query asked for is that of the first data source that sent it.
func (a *API) queryAll(ctx context.Context, who host.Identity, queries []dataQuery) map[string]hostapi.QueryResult {
	var sources []dataSourceRef
	bySource := map[dataSourceRef][]dataQuery{}
	for _, q := range queries {
		if bySource[q.source] == nil {
			sources = append(sources, q.source)
		}
		bySource[q.source] = append(bySource[q.source], q)
	}
	parts := make([]map[string]hostapi.QueryResult, len(sources))
	var group errgroup.Group
	group.SetLimit(gate.ParallelSources)
	for i, source := range sources {
		group.Go(func() error {
			parts[i] = a.queryOne(ctx, who, source, bySource[source])
			return nil
		})
	}
	_ = group.Wait() // each failure is in its result
	results := map[string]hostapi.QueryResult{}
	for _, q := range queries {
		i := slices.Index(sources, q.source)
		results[q.RefID] = parts[i][q.RefID]
	}
	for _, part := range parts {
		for refID, result := range part {
			if _, ok := results[refID]; !ok {
				results[refID] = result
			}
		}
	}
	return results
}

func failAll(queries []dataQuery, status int, source sdk.Source, text string) map[string]hostapi.QueryResult {
	results := map[string]hostapi.QueryResult{}
	for _, q := range queries {
		results[q.RefID] = hostapi.QueryResult{Status: status, Frames: []json.RawMessage{}, Error: text, ErrorSource: string(source)}
	}
	return results
}

// queryOne queries one data source. A panic fails only its queries.
func (a *API) queryOne(ctx context.Context, who host.Identity, ref dataSourceRef, queries []dataQuery) (results map[string]hostapi.QueryResult) {
	defer func() {
		if value := recover(); value != nil {
			a.Logger.ErrorContext(ctx, "panic", "panic", value, "stack", string(debug.Stack()))
			results = failAll(queries, http.StatusInternalServerError, sdk.SourcePlugin, "the query failed; the log of the host has details")
		}
	}()
	if ref.UID == host.ExpressionUID {
		return failAll(queries, http.StatusNotImplemented, sdk.SourceDownstream,
			"this host does not compute expressions (the data source "+host.ExpressionUID+"); send the queries that they refer to")
	}
	if ref.UID == builtin.UID {
		return queryBuiltin(who, queries)
	}
	p, d, err := a.dataSourceFor(ctx, who, ref)
	if refusal, ok := errors.AsType[*host.Error](err); ok {
		return failAll(queries, statusOf(err), sdk.SourcePlugin, refusal.Error())
	}
	if err != nil {
		a.Logger.ErrorContext(ctx, "query failed", "source", ref.String(), "error", err)
		return failAll(queries, http.StatusInternalServerError, sdk.SourcePlugin, "cannot read the data source")
	}
	responses, err := p.QueryData(ctx, &sdk.QueryDataRequest{
		Context: contextOf(p, who, settings{dataSource: &d}), Headers: headersFor(ctx, who, p, &d), Queries: sdkQueries(queries),
	})
	if err != nil {
		a.Logger.ErrorContext(ctx, "query failed", "plugin", p.ID(), "uid", d.UID, "error", err)
		status, source, text := queryError(err)
		return failAll(queries, status, source, text)
	}
	return resultsOf(queries, responses, a.FrameCells)
}

func sdkQueries(queries []dataQuery) []sdk.Query {
	return mapped(queries, func(q dataQuery) sdk.Query { return q.Query })
}

func queryBuiltin(who host.Identity, queries []dataQuery) map[string]hostapi.QueryResult {
	if !who.Allows(access.DatasourcesQuery, "datasources:uid:"+builtin.UID) {
		return failAll(queries, http.StatusForbidden, sdk.SourcePlugin, "Permission denied")
	}
	return resultsOf(queries, builtin.QueryData(sdkQueries(queries)), gate.MaxFrameCells)
}

// resultsOf converts the responses of a data source, including those that no query asked for:
// some plugins report their errors there. If there is no such error, a query without a
// response has no data: plugins leave out queries that are empty or match nothing.
func resultsOf(queries []dataQuery, responses sdk.QueryDataResponse, most int) map[string]hostapi.QueryResult {
	results := map[string]hostapi.QueryResult{}
	var missing []dataQuery
	cells := frameCells{most, most}
	for _, q := range queries {
		if r, ok := responses[q.RefID]; ok {
			results[q.RefID] = resultOf(r, &cells)
		} else {
			missing = append(missing, q)
		}
	}
	failure := ""
	for _, refID := range slices.Sorted(maps.Keys(responses)) {
		if _, ok := results[refID]; ok {
			continue
		}
		stray := resultOf(responses[refID], &cells)
		if results[refID] = stray; stray.Error != "" && failure == "" {
			failure = fmt.Sprintf("the plugin sent no response to this query, but sent the error %q for %q", text.Shorten(stray.Error, maxRepeated), text.Shorten(refID, gate.MaxRefID))
		}
	}
	if failure != "" {
		maps.Copy(results, failAll(missing, http.StatusBadGateway, sdk.SourcePlugin, failure))
		return results
	}
	for _, q := range missing {
		results[q.RefID] = hostapi.QueryResult{Status: http.StatusOK, Frames: []json.RawMessage{}}
	}
	return results
}

// maxRepeated is how much of the error of one result others repeat.
const maxRepeated = 500 // bytes

// frameCells are how many values the frames of a response may still have, and at most.
type frameCells struct{ left, most int }

// resultOf converts a response. It keeps frames that came with an error.
func resultOf(r sdk.DataResponse, cells *frameCells) hostapi.QueryResult {
	out := hostapi.QueryResult{Status: r.Status, Frames: []json.RawMessage{}}
	if r.Err != nil {
		_, source, text := queryError(r.Err)
		out.ErrorSource, out.Error = string(source), text
	}
	for _, f := range r.Frames {
		text, err := frameJSON(f, cells)
		if err != nil {
			out.Status, out.Error, out.ErrorSource = http.StatusBadGateway, err.Error(), string(sdk.SourcePlugin)
			break
		}
		out.Frames = append(out.Frames, text)
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

// frameJSON converts a frame, and takes its values from those that are left.
func frameJSON(f sdk.Frame, cells *frameCells) (json.RawMessage, error) {
	file, err := f.MarshalArrow()
	if err != nil {
		return nil, fmt.Errorf("the plugin sent a frame that cannot be read: %w", err)
	}
	parsed, err := frame.ParseAtMost(file, cells.left)
	if errors.Is(err, frame.ErrTooLarge) {
		return nil, fmt.Errorf("the frames in a response may have at most %d values; let the data source aggregate, or shorten the time range", cells.most)
	}
	if err != nil {
		return nil, fmt.Errorf("the plugin sent a frame that cannot be read: %w", err)
	}
	for _, field := range parsed.Fields {
		cells.left -= field.Len()
	}
	return parsed.MarshalJSON()
}
