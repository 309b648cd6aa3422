package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/backend"
	"github.com/slipway-dev/slipway/backend/arrow"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/sdk"
)

// queryHead is what the host reads of a query; the plugin gets all of its JSON.
type queryHead struct {
	RefID         string        `json:"refId"`
	QueryType     string        `json:"queryType"`
	IntervalMS    int64         `json:"intervalMs"`
	MaxDataPoints int64         `json:"maxDataPoints"`
	Datasource    dataSourceRef `json:"datasource"`
}

// dataSourceRef names a data source in a query.
type dataSourceRef struct {
	UID  string `json:"uid"`
	Type string `json:"type"` // the id of its plugin
}

// queryResult is the answer to one query.
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
	atOnce               = 8 // data sources that one request asks
)

type queryBody struct {
	From    json.RawMessage   `json:"from"`
	To      json.RawMessage   `json:"to"`
	Queries []json.RawMessage `json:"queries" jsonschema:"required"`
}

type queryResults struct {
	Results map[string]queryResult `json:"results"` // by refId
}

// queryData asks several queries, of several data sources in parallel. A query
// that fails has its error in its own result, and makes the status 207.
func (a *API) queryData(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	body, err := decode[queryBody](w, r)
	if err != nil {
		return err
	}
	if len(body.Queries) > maxQueries {
		return host.Invalid("queries", "are %d, at most %d are allowed", len(body.Queries), maxQueries)
	}
	if len(body.Queries) == 0 {
		return host.Invalid("queries", "is required: a list of one or more queries")
	}
	span, err := timeRange(body.From, body.To, a.clock())
	if err != nil {
		return err
	}
	asked := map[dataSourceRef][]sdk.Query{}
	refs := map[string]bool{}
	for i, raw := range body.Queries {
		field := fmt.Sprintf("queries[%d]", i)
		var head queryHead
		if err := json.Unmarshal(raw, &head); err != nil {
			return host.Invalid(field, "%s", bodyError(raw, err))
		}
		head.RefID = cmp.Or(head.RefID, "A")
		ref := head.Datasource
		if ref.UID != "" {
			ref.Type = "" // says nothing more
		}
		switch {
		case refs[head.RefID]:
			return host.Invalid(field+".refId", "%q is used twice", head.RefID)
		case ref == dataSourceRef{}:
			return host.Invalid(field+".datasource", "is required: an object with the uid or the type of the data source")
		case head.IntervalMS < 0 || head.IntervalMS > maxInterval:
			return host.Invalid(field+".intervalMs", "must be from 0 to %d", int64(maxInterval))
		case head.MaxDataPoints < 0:
			return host.Invalid(field+".maxDataPoints", "must not be negative")
		}
		refs[head.RefID] = true
		asked[ref] = append(asked[ref], sdk.Query{
			RefID: head.RefID, Type: head.QueryType, JSON: raw, TimeRange: span,
			Interval:      time.Duration(cmp.Or(head.IntervalMS, defaultInterval)) * time.Millisecond,
			MaxDataPoints: cmp.Or(head.MaxDataPoints, defaultMaxDataPoints),
		})
	}
	results := a.askAll(r.Context(), who, asked)
	status := http.StatusOK
	for _, result := range results {
		if result.Error != "" {
			status = http.StatusMultiStatus
		}
	}
	return answer(w, status, queryResults{results})
}

// askAll asks each data source its queries, several at a time.
func (a *API) askAll(ctx context.Context, who host.Identity, asked map[dataSourceRef][]sdk.Query) map[string]queryResult {
	results := map[string]queryResult{}
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(atOnce)
	for ref, queries := range asked {
		group.Go(func() error {
			answers := a.askSafely(ctx, who, ref, queries)
			mu.Lock()
			defer mu.Unlock()
			maps.Copy(results, answers)
			return nil
		})
	}
	_ = group.Wait() // each failure is in its result
	return results
}

// askSafely is ask, whose panic is the failure of its queries only.
func (a *API) askSafely(ctx context.Context, who host.Identity, ref dataSourceRef, queries []sdk.Query) (results map[string]queryResult) {
	defer func() {
		if fault := recover(); fault != nil {
			a.log.ErrorContext(ctx, "panic", "panic", fault, "stack", string(debug.Stack()))
			results = failAll(queries, http.StatusInternalServerError, sdk.SourcePlugin, "the query failed; the log of the host says more")
		}
	}()
	return a.ask(ctx, who, ref, queries)
}

func failAll(queries []sdk.Query, status int, source sdk.Source, text string) map[string]queryResult {
	results := map[string]queryResult{}
	for _, q := range queries {
		results[q.RefID] = queryResult{Status: status, Frames: []json.RawMessage{}, Error: text, ErrorSource: source}
	}
	return results
}

func (a *API) ask(ctx context.Context, who host.Identity, ref dataSourceRef, queries []sdk.Query) map[string]queryResult {
	p, d, err := a.dataSourceFor(ctx, who, ref)
	if refusal, ok := errors.AsType[*host.Error](err); ok {
		return failAll(queries, statusOf(err), sdk.SourcePlugin, refusal.Error())
	}
	if err != nil {
		a.log.ErrorContext(ctx, "query failed", "uid", ref.UID, "type", ref.Type, "error", err)
		return failAll(queries, http.StatusInternalServerError, sdk.SourcePlugin, "the data source could not be read")
	}
	answers, err := p.QueryData(ctx, &sdk.QueryDataRequest{Context: contextOf(p, who, settings{dataSource: &d}), Queries: queries})
	if err != nil {
		a.log.ErrorContext(ctx, "query failed", "plugin", p.ID(), "uid", d.UID, "error", err)
		status, source, text := queryFault(err)
		return failAll(queries, status, source, text)
	}
	results := map[string]queryResult{}
	for _, q := range queries {
		answer, answered := answers[q.RefID]
		if !answered {
			results[q.RefID] = queryResult{Status: http.StatusBadGateway, Frames: []json.RawMessage{},
				Error: "the plugin gave no answer to this query", ErrorSource: sdk.SourcePlugin}
			continue
		}
		results[q.RefID] = resultOf(answer)
	}
	return results
}

// resultOf converts an answer. Frames that came along with an error are kept.
func resultOf(r sdk.DataResponse) queryResult {
	out := queryResult{Status: r.Status, Frames: []json.RawMessage{}}
	if r.Err != nil {
		_, out.ErrorSource, out.Error = queryFault(r.Err)
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

func queryFault(err error) (status int, source sdk.Source, text string) {
	if e, ok := errors.AsType[*sdk.Error](err); ok {
		return e.Status, e.Source, e.Message
	}
	if errors.Is(err, backend.ErrUnsupported) {
		return http.StatusNotImplemented, sdk.SourcePlugin, "the plugin does not answer queries"
	}
	return http.StatusBadGateway, sdk.SourcePlugin, "the plugin could not be asked"
}

// frameJSON turns a frame into its published JSON form.
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
