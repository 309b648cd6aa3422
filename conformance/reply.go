package conformance

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/slipway-dev/slipway/internal/text"
	"github.com/slipway-dev/slipway/internal/wire"
)

type reply struct {
	err     error  // of the call
	got     string // summary
	says    string // why the call failed, in the words of the plugin
	isOK    bool   // the plugin did what the call requested
	isPanic bool   // a handler panicked
	problem string // violation of the protocol
}

// newReply returns the reply to a call, which succeeded if err is nil. texts are the parts of it that could be the
// message of a panic.
func newReply(err error, got string, texts ...string) reply {
	if err != nil {
		return errorReply(err)
	}
	return reply{got: got, isOK: true, isPanic: slices.ContainsFunc(texts, isPanic)}
}

func errorReply(err error) reply {
	s := status.Convert(err)
	return reply{
		err: err, says: s.Message(), got: fmt.Sprintf("%s %q", s.Code(), text.Shorten(s.Message(), 200)),
		isPanic: wire.IsPanic(err, nil) || isPanic(s.Message()),
	}
}

// panicText matches the text of a recovered panic, not a mere mention of the word, as in "do not panic".
var panicText = regexp.MustCompile(strings.Join([]string{
	`(?:^|: |\n)panic(?: triggered| caught)?: `, // Grafana's SDK, and gRPC's middleware
	`runtime error: (?:invalid memory address|index out of range|slice bounds out of range|integer divide by zero)`,
	`runtime error: (?:makeslice: |hash of unhashable type|comparing uncomparable type|negative shift amount|cannot convert slice)`,
	`interface conversion: .* is `,
	`assignment to entry in nil map`,
	`(?:send on|close of) (?:closed|nil) channel`,
	`(?m:^goroutine \d+ \[running\]:)`,
	`thread '.*' panicked at`, // Rust
}, "|"))

// isPanic reports whether a text is that of a panic. Our SDK keeps it to the log; see wire.IsPanic.
func isPanic(text string) bool { return panicText.MatchString(text) }

// Help that several checks share.
const (
	helpPanic    = "fix the handler: the plugin's log has the stack of the panic. Read messages with their Get methods, which accept nil"
	helpResponse = "respond to every call, and only to the queries in it"
	helpExited   = "find the reason in the output of the process: a single call must not stop the plugin for all others"
	helpSlow     = "respond to every call, with an error if necessary, and stop when its context ends. If the plugin is merely slow, " +
		"allow more time per check"
	helpStart = "main must call sdk.Serve (or the Manage function of another SDK) and print nothing before it"
)

// harmless fails a reply that is never acceptable: a panic, a violation of the
// protocol, the end of the process, or no reply in time.
func (s *subject) harmless(ctx context.Context, sent string, r reply) Verdict {
	switch {
	case r.isPanic:
		return failed(sent, "a handler panicked: "+r.got, helpPanic)
	case r.problem != "":
		return failed(sent, r.problem+": "+r.got, helpResponse)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return failed(sent, "no response in time", helpSlow)
	case status.Code(r.err) == codes.Unavailable && s.ping(ctx) != nil: // a plugin may return Unavailable itself
		return failed(sent, r.got, helpExited)
	}
	return passed()
}

// asUsual fails a reply that is worse than the usual one, which must be known.
func (s *subject) asUsual(ctx context.Context, c call, sent string, r reply) Verdict {
	if v := s.harmless(ctx, sent, r); v.Outcome != Passed {
		return v
	}
	if before := s.usual[c]; before.isOK && !r.isOK {
		return failed(sent, r.got+"; a single call got "+before.got, "hosts call handlers concurrently: guard what they share")
	}
	return passed()
}
