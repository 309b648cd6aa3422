package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/internal/instant"
	"github.com/slipway-dev/slipway/sdk"
)

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

// parseQuery parses the query at a field of the request, whose time range is span.
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

// number returns a number from 0 to most, which may be text, or 0 if it is absent.
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

// rangeBody is a time range in a request: of all queries or of one.
type rangeBody struct {
	From json.RawMessage `json:"from"`
	To   json.RawMessage `json:"to"`
}

// parse returns the time range. fallback has what is absent; prefix comes before the names in errors.
func (b rangeBody) parse(prefix string, fallback sdk.TimeRange, now time.Time) (span sdk.TimeRange, err error) {
	if span.From, err = parseInstant(prefix+"from", b.From, fallback.From, now, false); err != nil {
		return span, err
	}
	if span.To, err = parseInstant(prefix+"to", b.To, fallback.To, now, true); err != nil {
		return span, err
	}
	if span.To.Before(span.From) {
		return span, host.Invalid(prefix+"to", "must not be before from")
	}
	return span, nil
}

// parseInstant parses a time, which is the end of a range or its start.
func parseInstant(field string, raw json.RawMessage, fallback, now time.Time, isEnd bool) (time.Time, error) {
	text := string(raw)
	if strings.HasPrefix(text, `"`) && json.Unmarshal(raw, &text) != nil {
		text = "?"
	}
	if text = strings.TrimSpace(text); text == "" || text == "null" {
		return fallback, nil
	}
	at, ok := instant.Parse(text, now, isEnd)
	if !ok {
		return at, host.Invalid(field, "must be milliseconds since 1970, a time such as 2026-01-31T12:00:00Z, or now with offsets and roundings such as now-6h or now-1d/d")
	}
	if at.Before(time.Unix(0, math.MinInt64)) || at.After(time.Unix(0, math.MaxInt64)) {
		return at, host.Invalid(field, "must be between the years 1678 and 2262: plugins count nanoseconds since 1970")
	}
	return at, nil
}
