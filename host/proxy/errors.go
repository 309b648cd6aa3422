package proxy

import (
	"fmt"

	"github.com/slipway-dev/slipway/host"
)

// unavailable reports a mistake in plugin.json or in the settings, which somebody other
// than the caller has to fix.
func unavailable(format string, args ...any) error {
	return &host.Error{Category: host.ErrUnavailable, Message: fmt.Sprintf(format, args...)}
}

// upstream reports a failure of a service. Callers see public; cause is logged.
func upstream(category error, public string, cause error) error {
	return fmt.Errorf("%w: %w", &host.Error{Category: category, Message: public}, cause)
}
