package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/sdk"
)

// dataQuery is a query of POST /api/ds/query.
type dataQuery struct {
	sdk.Query
	source   dataSourceRef
	isHidden bool // it is not sent
}

// queryHead is the part of a query that the host reads. The plugin receives all of it.
type queryHead struct {
	RefID         string          `json:"refId"`
	Hide          json.RawMessage `json:"hide"`
	QueryType     json.RawMessage `json:"queryType"`
	IntervalMS    json.RawMessage `json:"intervalMs"`
	MaxDataPoints json.RawMessage `json:"maxDataPoints"`
	TimeRange     *rangeBody      `json:"timeRange"`
	Datasource    json.RawMessage `json:"datasource"`
	DatasourceID  json.RawMessage `json:"datasourceId"`
}

const (
	defaultRange         = time.Hour
	defaultInterval      = 1000 // milliseconds
	maxInterval          = math.MaxInt64 / int64(time.Millisecond)
	defaultMaxDataPoints = 100
)

func checkQueryCount(n int) error {
	if n == 0 || n > gate.MaxQueries {
		return host.Invalid("queries", "must be an array of 1 to %d queries, found %d", gate.MaxQueries, n)
	}
	return nil
}

// parseQueries returns the queries of a request.
func parseQueries(body queryBody, now time.Time) ([]dataQuery, error) {
	if err := checkQueryCount(len(body.Queries)); err != nil {
		return nil, err
	}
	span, err := body.parse("", sdk.TimeRange{From: now.Add(-defaultRange), To: now}, now)
	if err != nil {
		return nil, err
	}
	queries := make([]dataQuery, len(body.Queries))
	refs := map[string]bool{}
	for i, raw := range body.Queries {
		field := fmt.Sprintf("queries[%d]", i)
		q, err := parseQuery(field, raw, span, now)
		if err != nil {
			return nil, err
		}
		if refs[q.RefID] {
			return nil, host.Invalid(field+".refId", "must be unique, found %q twice", q.RefID)
		}
		refs[q.RefID] = true
		queries[i] = q
	}
	return queries, nil
}

// parseQuery parses the query at a field of the request. span is the time range of the
// request.
func parseQuery(field string, raw json.RawMessage, span sdk.TimeRange, now time.Time) (q dataQuery, err error) {
	var head queryHead
	if err := json.Unmarshal(raw, &head); err != nil {
		return q, host.Invalid(field, "%s", bodyError(raw, err))
	}
	if len(head.RefID) > gate.MaxRefID {
		return q, host.Invalid(field+".refId", "must not be longer than %d bytes", gate.MaxRefID)
	}
	if head.TimeRange != nil {
		if span, err = head.TimeRange.parse(field+".timeRange.", span, now); err != nil {
			return q, err
		}
	}
	interval, err := number(field+".intervalMs", head.IntervalMS, float64(maxInterval))
	if err != nil {
		return q, err
	}
	points, err := number(field+".maxDataPoints", head.MaxDataPoints, math.MaxInt32)
	if err != nil {
		return q, err
	}
	source, err := refOf(field, head.Datasource, head.DatasourceID)
	if err != nil {
		return q, err
	}
	if interval > 0 {
		interval = max(interval, 1) // calls to plugins have whole milliseconds
	}
	q = dataQuery{source: source, Query: sdk.Query{
		RefID: cmp.Or(head.RefID, "A"), JSON: raw, TimeRange: span,
		Interval:      time.Duration(cmp.Or(int64(interval), defaultInterval)) * time.Millisecond,
		MaxDataPoints: cmp.Or(int64(points), defaultMaxDataPoints),
	}}
	_ = json.Unmarshal(head.QueryType, &q.Type) // another type is for the plugin alone
	_ = json.Unmarshal(head.Hide, &q.isHidden)
	return q, nil
}

// number returns a number from 0 to most, which may be written as text, or 0 if it is
// absent.
func number(field string, raw json.RawMessage, most float64) (float64, error) {
	text := string(bytes.Trim(raw, `"`))
	if text == "" || text == "null" {
		return 0, nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0 && n <= most) {
		return 0, host.Invalid(field, "must be a number from 0 to %.0f", most)
	}
	return n, nil
}
