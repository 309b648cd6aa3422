package conformance

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// instanceCalls returns the calls that the probe makes: those for which every SDK makes an
// instance, and which change nothing.
func instanceCalls() []call { return []call{callHealth, callQuery, callResource, callSubscribe} }

// obstacle is why the plugin does not work with the settings of this run.
type obstacle struct {
	reply reply
	calls []call // of the probe that failed with it
	cause string
}

// probe makes each call once. If several calls fail for the same reason, one of them as a
// whole, they failed before they did what was requested: no instance could be made. Calls
// that depend on the unknown name could fail alike because of it.
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
	for cause, list := range alike {
		if len(list) < 2 || list[0] != callHealth && list[0] != callQuery {
			continue
		}
		if slices.ContainsFunc(list, func(c call) bool { return s.usual[c].err != nil }) || s.respondsToSome(ctx) {
			s.obstacle = &obstacle{reply: s.usual[list[0]], calls: list, cause: cause}
			return
		}
	}
}

// respondsToSome reports whether the plugin responds to one query out of two, as Grafana's
// SDK does if it cannot make an instance.
func (s *subject) respondsToSome(ctx context.Context) bool {
	out, err := s.raw.data.QueryData(ctx, s.queries(2, nil))
	return err == nil && len(out.GetResponses()) == 1
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
	return fmt.Sprintf("the plugin does not work with these settings: %s failed with %q", joined(o.calls), shorten(o.reply.says, 200))
}

const helpSettings = "pass the settings and secrets with which the plugin works, and its URL"

// makesInstance reports the obstacle once: it is not the plugin's fault that this run has
// no settings for it.
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

// answers skips the check if a call of the probe got no reply, which the checks of that call
// report.
func (s *subject) answers(has []call) Verdict {
	for _, c := range has {
		if _, isKnown := s.usual[c]; !isKnown {
			return skipped(fmt.Sprintf("%s did not respond", c))
		}
	}
	return passed()
}
