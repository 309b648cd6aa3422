package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/slipway-dev/slipway/host"
)

// unavailable reports a mistake in plugin.json or in the settings, which someone other
// than the caller has to fix.
func unavailable(format string, args ...any) error {
	return &host.Error{Category: host.ErrUnavailable, Message: fmt.Sprintf(format, args...)}
}

// upstream reports a failure of a service. Callers see public; cause is logged.
func upstream(category error, public string, cause error) error {
	return fmt.Errorf("%w: %w", &host.Error{Category: category, Message: public}, cause)
}

// broken gives a network error its category. An error for a request that the client
// canceled has no category.
func broken(who string, err error) error {
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%s: %w", who, err)
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() || errors.Is(err, context.DeadlineExceeded) {
		return upstream(host.ErrTimeout, who+" did not respond in time", err)
	}
	return upstream(host.ErrUpstream, who+" cannot be reached or aborted its response", err)
}
