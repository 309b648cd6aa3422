package conformance

import (
	"context"
	"fmt"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"

	"github.com/slipway-dev/slipway/backend/arrow"
)

// ask sends queries as they should be, but for what change does to each.
func (s *subject) ask(count int, change func(*pluginv2.DataQuery)) *pluginv2.QueryDataRequest {
	in := &pluginv2.QueryDataRequest{PluginContext: s.context(1, 1)}
	for n := range count {
		q := s.goodQuery(fmt.Sprintf("Q%d", n))
		if change != nil {
			change(q)
		}
		in.Queries = append(in.Queries, q)
	}
	return in
}

// robust is a check that only wants the plugin to stay in one piece.
func (s *subject) robust(ctx context.Context, sent string, in *pluginv2.QueryDataRequest) Verdict {
	if s.lacks(ctx, callQuery) {
		return skipLack(callQuery)
	}
	r := s.query(ctx, in)
	v, ok := s.harmless(ctx, sent, r)
	if skip, cannot := s.failsEach(ctx, callQuery, r); ok && cannot {
		return skip
	}
	return v
}

func queryNilTimeRange(ctx context.Context, s *subject) Verdict {
	return s.robust(ctx, "QueryData with a query whose timeRange is not set", s.ask(1, func(q *pluginv2.DataQuery) { q.TimeRange = nil }))
}

func queryNilJSON(ctx context.Context, s *subject) Verdict {
	return s.robust(ctx, "QueryData with a query whose json is not set", s.ask(1, func(q *pluginv2.DataQuery) { q.Json = nil }))
}

func queryNoJSON(ctx context.Context, s *subject) Verdict {
	if s.lacks(ctx, callQuery) {
		return skipLack(callQuery)
	}
	for _, text := range []string{"{", "no JSON", "null", "[]", `"text"`, "17", "\x00\xff\xfe"} {
		v := s.robust(ctx, fmt.Sprintf("QueryData with a query whose json is %q", text), s.ask(1, func(q *pluginv2.DataQuery) { q.Json = []byte(text) }))
		if v.Outcome != Passed {
			return v
		}
	}
	return passed()
}

func queryUnknownType(ctx context.Context, s *subject) Verdict {
	return s.robust(ctx, fmt.Sprintf("QueryData with a query of the type %q", unknownName), s.ask(1, func(q *pluginv2.DataQuery) { q.QueryType = unknownName }))
}

func queryNone(ctx context.Context, s *subject) Verdict {
	return s.robust(ctx, "QueryData without a query", s.ask(0, nil))
}

func queryAnswersEach(ctx context.Context, s *subject) Verdict {
	if s.lacks(ctx, callQuery) {
		return skipLack(callQuery)
	}
	in := s.ask(3, nil)
	in.Queries[1].RefId, in.Queries[2].RefId = "größe 2/b", "a.b-c_d"
	sent := fmt.Sprintf("QueryData with the queries %q, %q and %q, each %s", in.Queries[0].RefId, in.Queries[1].RefId, in.Queries[2].RefId, in.Queries[0].Json)
	out, err := s.raw.data.QueryData(ctx, in)
	if err != nil {
		r := read(err, "", false)
		if v, ok := s.harmless(ctx, sent, r); !ok {
			return v
		}
		return skipped("the plugin fails the whole call: " + r.got)
	}
	for _, q := range in.Queries {
		if out.GetResponses()[q.RefId] == nil {
			return failed(sent, fmt.Sprintf("no answer to %q, among %d", q.RefId, len(out.GetResponses())),
				"answer each query under its refId, with an error where there is nothing else: the type of the query may be missing or unknown")
		}
	}
	if len(out.GetResponses()) != len(in.Queries) {
		return failed(sent, fmt.Sprintf("%d answers to %d queries", len(out.GetResponses()), len(in.Queries)), "answer what was asked, and only that")
	}
	return passed()
}

func queryFrames(ctx context.Context, s *subject) Verdict {
	if s.lacks(ctx, callQuery) {
		return skipLack(callQuery)
	}
	out, err := s.raw.data.QueryData(ctx, s.ask(2, nil))
	if v, ok := s.harmless(ctx, "QueryData with 2 queries", read(err, "", true)); !ok {
		return v
	}
	if err != nil {
		return skipped("the plugin fails the whole call: " + read(err, "", false).got)
	}
	seen := 0
	for id, a := range out.GetResponses() {
		for n, bytes := range a.GetFrames() {
			seen++
			sent := fmt.Sprintf("QueryData with the query %s", id)
			f, err := arrow.Decode(bytes)
			if err != nil {
				return failed(sent, fmt.Sprintf("frame %d of its answer cannot be read: %v", n, err), "write frames in the Arrow file format, with fields of the same length, as the data package does")
			}
			if f.RefID != id {
				return failed(sent, fmt.Sprintf("frame %d of its answer names the query %q", n, f.RefID), "give each frame the refId of its query")
			}
		}
	}
	if seen == 0 {
		return skipped("the answers had no frames: give a --query, --settings or --url with which they have")
	}
	return passed()
}

// queryErrors looks at the errors of single queries, which it provokes.
func queryErrors(ctx context.Context, s *subject) Verdict {
	if s.lacks(ctx, callQuery) {
		return skipLack(callQuery)
	}
	seen := 0
	for _, change := range []func(*pluginv2.DataQuery){
		nil,
		func(q *pluginv2.DataQuery) { q.QueryType = unknownName },
		func(q *pluginv2.DataQuery) { q.Json = []byte(`{`) },
		func(q *pluginv2.DataQuery) { q.Json = []byte(`[]`) },
	} {
		in := s.ask(1, change)
		out, err := s.raw.data.QueryData(ctx, in)
		if v, ok := s.harmless(ctx, "QueryData with a query that is not right", read(err, "", true)); !ok {
			return v
		}
		for id, a := range out.GetResponses() {
			if a.GetError() == "" {
				continue
			}
			seen++
			sent := fmt.Sprintf("QueryData with a query of the type %q and the JSON %q", in.Queries[0].QueryType, in.Queries[0].Json)
			got := fmt.Sprintf("%s: error %q, status %d, errorSource %q", id, shorten(a.GetError(), 120), a.GetStatus(), a.GetErrorSource())
			if a.GetStatus() < 400 || a.GetStatus() > 599 {
				return failed(sent, got, "give an error a status of 400 to 599: 4xx when the query is wrong, 5xx when the plugin or its upstream is")
			}
			if source := a.GetErrorSource(); source != "plugin" && source != "downstream" {
				return failed(sent, got, "set errorSource to plugin for a fault of the plugin, to downstream for any other")
			}
		}
	}
	if seen == 0 {
		return skipped("no query was answered with an error of its own")
	}
	return passed()
}

// queryMany asks a lot at once and wants it answered no worse than one query.
func queryMany(ctx context.Context, s *subject) Verdict {
	if s.lacks(ctx, callQuery) {
		return skipLack(callQuery)
	}
	const many = 1000
	sent := fmt.Sprintf("QueryData with %d queries", many)
	s.usually(ctx, callQuery)
	r := s.query(ctx, s.ask(many, nil))
	v := s.asUsual(ctx, callQuery, sent, r)
	if skip, cannot := s.failsEach(ctx, callQuery, r); v.Outcome == Passed && cannot {
		return skip
	}
	return v
}
