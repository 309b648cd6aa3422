package conformance

import (
	"context"
	"fmt"
	"slices"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"

	"github.com/slipway-dev/slipway/internal/text"
	"github.com/slipway-dev/slipway/sdk/frame"
)

// queries returns the message of a call with valid queries, changed by change unless it is nil.
func (s *subject) queries(count int, change func(*pluginv2.DataQuery)) *pluginv2.QueryDataRequest {
	in := &pluginv2.QueryDataRequest{PluginContext: s.context(1, 1)}
	for n := range count {
		q := s.validQuery(fmt.Sprintf("Q%d", n))
		if change != nil {
			change(q)
		}
		in.Queries = append(in.Queries, q)
	}
	return in
}

// survives fails a call only if its reply is never acceptable.
func (s *subject) survives(ctx context.Context, sent string, in *pluginv2.QueryDataRequest) Verdict {
	r := s.query(ctx, in)
	return s.unlessAllFail(ctx, r, s.harmless(ctx, sent, r))
}

// unlessAllFail skips instead of passing if the plugin fails all its queries anyway.
func (s *subject) unlessAllFail(ctx context.Context, r reply, v Verdict) Verdict {
	if before := s.usually(ctx, callQuery); v.Outcome == Passed && r.err != nil && before.err != nil {
		return skipped(failsEvery(before))
	}
	return v
}

// oddQuery returns a check that sends one changed query.
func oddQuery(kind string, change func(*pluginv2.DataQuery)) runFunc {
	return func(ctx context.Context, s *subject, _ []call) Verdict {
		return s.survives(ctx, "QueryData with a query "+kind, s.queries(1, change))
	}
}

func queryNoJSON(ctx context.Context, s *subject, _ []call) Verdict {
	for _, text := range []string{"{", "no JSON", "null", "[]", `"text"`, "17", "\x00\xff\xfe"} {
		v := s.survives(ctx, fmt.Sprintf("QueryData with a query whose json is %q", text),
			s.queries(1, func(q *pluginv2.DataQuery) { q.Json = []byte(text) }))
		if v.Outcome != Passed {
			return v
		}
	}
	return passed()
}

func queryNone(ctx context.Context, s *subject, _ []call) Verdict {
	return s.survives(ctx, "QueryData without queries", s.queries(0, nil))
}

func queryRespondsToEach(ctx context.Context, s *subject, _ []call) Verdict {
	in := s.queries(3, nil)
	in.Queries[1].RefId, in.Queries[2].RefId = "größe 2/b", "a.b-c_d"
	sent := fmt.Sprintf("QueryData with the queries %q, %q and %q, each %s", in.Queries[0].RefId, in.Queries[1].RefId, in.Queries[2].RefId,
		in.Queries[0].Json)
	out, err := s.raw.data.QueryData(ctx, in)
	if err != nil {
		return s.wholeCallFailed(ctx, sent, err)
	}
	for id, a := range out.GetResponses() {
		if !slices.ContainsFunc(in.Queries, func(q *pluginv2.DataQuery) bool { return q.RefId == id }) && s.isPassedOn(a) {
			return warned(sent, fmt.Sprintf("error %q under %q", text.Shorten(a.GetError(), 200), text.Shorten(id, 60)),
				"respond with the error under the refId of each query, or fail the call")
		}
	}
	for _, q := range in.Queries {
		if out.GetResponses()[q.RefId] == nil {
			return failed(sent, fmt.Sprintf("responses: %d, none for %q", len(out.GetResponses()), q.RefId),
				"respond to every query under its refId, with an error if necessary: the query's type may be missing or unknown")
		}
	}
	if len(out.GetResponses()) != len(in.Queries) {
		return failed(sent, fmt.Sprintf("responses: %d, queries: %d", len(out.GetResponses()), len(in.Queries)), helpResponse)
	}
	return passed()
}

// wholeCallFailed skips a check of single queries, unless err itself is a failure.
func (s *subject) wholeCallFailed(ctx context.Context, sent string, err error) Verdict {
	r := errorReply(err)
	if v := s.harmless(ctx, sent, r); v.Outcome != Passed {
		return v
	}
	if before := s.usually(ctx, callQuery); before.err != nil {
		return skipped(failsEvery(before))
	}
	return skipped("the plugin fails the whole call: " + r.got)
}

// failsEvery is the reason why the checks of queries have nothing to check.
func failsEvery(usual reply) string { return "the plugin fails every QueryData call: " + usual.got }

func queryFrames(ctx context.Context, s *subject, _ []call) Verdict {
	out, err := s.raw.data.QueryData(ctx, s.queries(2, nil))
	if err != nil {
		return s.wholeCallFailed(ctx, "QueryData with 2 queries", err)
	}
	seen := 0
	for id, a := range out.GetResponses() {
		for n, bytes := range a.GetFrames() {
			seen++
			sent := fmt.Sprintf("QueryData with query %s", id)
			f, err := frame.Parse(bytes)
			if err != nil {
				return failed(sent, fmt.Sprintf("frame %d of the response is invalid: %v", n, err),
					"write frames in the Arrow file format, with fields of equal length, as the data package does")
			}
			if f.RefID != id {
				return failed(sent, fmt.Sprintf("frame %d of the response has the refId %q", n, f.RefID),
					"set the refId of each frame to that of its query")
			}
		}
	}
	if seen == 0 {
		return skipped("no response had frames; provide a query, settings or a URL that produces some")
	}
	return passed()
}

func queryErrors(ctx context.Context, s *subject, _ []call) Verdict {
	seen, verdict := 0, passed()
	for _, change := range []func(*pluginv2.DataQuery){
		nil,
		func(q *pluginv2.DataQuery) { q.QueryType = unknownName },
		func(q *pluginv2.DataQuery) { q.Json = []byte(`{`) },
		func(q *pluginv2.DataQuery) { q.Json = []byte(`[]`) },
	} {
		in := s.queries(1, change)
		sent := fmt.Sprintf("QueryData with a query of type %q and json %q", in.Queries[0].QueryType, in.Queries[0].Json)
		out, err := s.raw.data.QueryData(ctx, in)
		if v := s.harmless(ctx, sent, newReply(err, "")); v.Outcome != Passed {
			return v
		}
		for id, a := range out.GetResponses() {
			if a.GetError() == "" {
				continue
			}
			seen++
			got := fmt.Sprintf("%s: error %q, status %d, errorSource %q", id, text.Shorten(a.GetError(), 120), a.GetStatus(), a.GetErrorSource())
			if hasField(s.sdk, statusSince) && (a.GetStatus() < 400 || a.GetStatus() > 599) {
				return failed(sent, got, "give an error a status from 400 to 599: 4xx if the query is invalid, 5xx if the plugin or its "+
					"upstream service failed")
			}
			const help = "set errorSource to plugin for a bug in the plugin and to downstream for anything else"
			switch source := a.GetErrorSource(); {
			case source == "plugin", source == "downstream", source == "" && !hasField(s.sdk, sourceSince):
			case source == "" && s.o.Standard == Existing: // hosts assume plugin
				verdict = warned(sent, got, help)
			default:
				return failed(sent, got, help)
			}
		}
	}
	if before := s.usually(ctx, callQuery); seen == 0 && before.err != nil {
		return skipped(failsEvery(before))
	}
	if seen == 0 {
		return skipped("no response to a query had an error")
	}
	return verdict
}

// queryMany sends many queries at once, which must not fare worse than a single one.
func queryMany(ctx context.Context, s *subject, _ []call) Verdict {
	const many = 1000
	s.usually(ctx, callQuery)
	r := s.query(ctx, s.queries(many, nil))
	return s.unlessAllFail(ctx, r, s.asUsual(ctx, callQuery, fmt.Sprintf("QueryData with %d queries", many), r))
}
