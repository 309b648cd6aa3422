package conformance

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/slipway-dev/slipway/internal/text"
)

// instanceCalls returns calls for which every SDK makes an instance, and which change nothing.
func instanceCalls() []call { return []call{callHealth, callQuery, callResource, callSubscribe} }

// obstacle is why the plugin does not work with the settings of this run.
type obstacle struct {
	reply reply  // to the first of the calls
	calls []call // of the probe
	cause string
}

// probe makes each call once. If several calls fail for the same reason, they failed before
// they did what was requested: no instance could be made. A plugin that responds to every
// query has one, even if its service cannot be reached. Calls that depend on the unknown
// name could fail alike because of it.
func (s *subject) probe(ctx context.Context) {
	if s.isProbed {
		return
	}
	s.isProbed = true
	alike := map[string][]call{}
	for _, c := range s.supported(ctx, instanceCalls()) {
		if cause := s.usually(ctx, c).cause(); cause != "" {
			alike[cause] = append(alike[cause], c)
		}
	}
	for _, cause := range slices.Sorted(maps.Keys(alike)) {
		list := alike[cause]
		if len(list) > 1 && (list[0] == callHealth || list[0] == callQuery) && !s.respondsToQueries(ctx) {
			s.obstacle = &obstacle{reply: s.usual[list[0]], calls: list, cause: cause}
			return
		}
	}
}

// respondsToQueries reports whether the plugin responds to two queries. If it cannot make an
// instance, Grafana's SDK fails the call or responds to the first query only.
func (s *subject) respondsToQueries(ctx context.Context) bool {
	in := s.queries(2, nil)
	out, err := s.raw.data.QueryData(ctx, in)
	return err == nil && len(out.GetResponses()) == len(in.Queries)
}

// number matches what may differ in messages with the same cause, such as ids.
var number = regexp.MustCompile(`\d+`)

// cause returns what replies that failed for the same reason have in common, or "" if the
// call did not fail, has no handler or got no reply.
func (r reply) cause() string {
	switch status.Code(r.err) {
	case codes.Unimplemented, codes.Unavailable, codes.Canceled, codes.DeadlineExceeded:
		return ""
	}
	return number.ReplaceAllString(r.says, "#")
}

// able returns those of the calls that do not fail for want of an instance.
func (s *subject) able(ctx context.Context, list []call) []call {
	if s.obstacle == nil {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(c call) bool {
		return s.usually(ctx, c).cause() == s.obstacle.cause
	})
}

// reason explains why the checks that need an instance are skipped.
func (o *obstacle) reason() string {
	return fmt.Sprintf("the plugin does not work with these settings: %s failed with %q", joined(o.calls), text.Shorten(o.reply.says, 200))
}

const helpSettings = "pass the settings and secrets with which the plugin works, and the URL of its service"

// makesInstance reports the obstacle once: the plugin cannot help that this run has no settings for it.
func makesInstance(ctx context.Context, s *subject, has []call) Verdict {
	s.probe(ctx)
	switch {
	case s.obstacle == nil:
		return s.answers(has)
	case s.obstacle.reply.isPanic:
		return failed(joined(s.obstacle.calls), "a handler panicked: "+s.obstacle.reply.got, helpPanic)
	case s.o.hasSettings():
		return failed(joined(s.obstacle.calls)+" with the settings of this run", s.obstacle.reply.got, helpSettings)
	}
	return skipped(s.obstacle.reason())
}

// answers skips the check if a call of the probe got no reply, which other checks report.
func (s *subject) answers(has []call) Verdict {
	for _, c := range has {
		if _, isKnown := s.usual[c]; !isKnown {
			return skipped(fmt.Sprintf("%s did not respond", c))
		}
	}
	return passed()
}
