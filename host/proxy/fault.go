package proxy

import (
	"fmt"

	"github.com/slipway-dev/slipway/host"
)

// unavailable says that plugin.json or the settings lack something, which somebody
// other than the caller has to mend.
func unavailable(format string, args ...any) error {
	return &host.Error{Category: host.ErrUnavailable, Message: fmt.Sprintf(format, args...)}
}

// upstream says in public what is wrong with a service; the cause is for the log.
func upstream(category error, public string, cause error) error {
	return fmt.Errorf("%w: %w", &host.Error{Category: category, Message: public}, cause)
}
