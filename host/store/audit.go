package store

import (
	"context"
	"log/slog"

	"github.com/slipway-dev/slipway/host"
)

// audit logs a change of credentials or settings and who made it, if it succeeded.
// Failures are in the access log. Secrets are never logged.
func (s *Store) audit(ctx context.Context, err error, by host.Identity, event string, what ...slog.Attr) {
	if err != nil {
		return
	}
	s.log.LogAttrs(ctx, s.auditLevel, "audit", append([]slog.Attr{slog.String("event", event), slog.Int64("org", by.OrgID),
		slog.String("by_kind", string(by.Kind)), slog.String("by_login", by.Login), slog.Int64("by_id", by.ID)}, what...)...)
}
