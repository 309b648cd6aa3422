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

// obstacle is why the plugin cannot make an instance with the settings of this run.
type obstacle struct {
	reply reply
	calls []call // of the probe that failed with it
	cause string
}

// probe makes each call once. If several calls fail alike, they failed before they did what
// was requested: no instance could be made. Two that depend on the unknown name could fail
// alike because of it.
func (s *subject) probe(ctx context.Context) {
	if s.isProbed {
		return
	}
	s.isProbed = true
	has := s.supported(ctx, instanceCalls())
	alike := map[string][]call{}
	for _, c := range has {
		if cause := s.usually(ctx, c).cause(); cause != "" {
			alike[cause] = append(alike[cause], c)
		}
	}
	for cause, list := range alike {
		if len(list) > 1 && (slices.Contains(list, callHealth) || slices.Contains(list, callQuery)) {
			s.obstacle = &obstacle{reply: s.usual[list[0]], calls: list, cause: cause}
			return
		}
	}
}

// number matches what may differ in messages with the same cause, such as ids.
var number = regexp.MustCompile(`\d+`)

// cause returns what replies that failed for the same reason have in common, or "" if the
// call did not fail.
func (r reply) cause() string {
	switch code := status.Code(r.err); code {
	case codes.OK, codes.Unimplemented, codes.Unavailable, codes.Canceled, codes.DeadlineExceeded:
		return "" // it has no handler, or did not reply
	default:
		return code.String() + " " + number.ReplaceAllString(status.Convert(r.err).Message(), "#")
	}
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

// reason explains why checks that need an instance are skipped.
func (o *obstacle) reason() string {
	return fmt.Sprintf("the plugin cannot make an instance with these settings: %s failed with %s", joined(o.calls), o.reply.got)
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
