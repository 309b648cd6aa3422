package server

import (
	"log/slog"
	"strings"
	"testing"
)

func TestWarnOfToggles(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	s := &Server{log: slog.New(slog.NewTextHandler(&log, nil))}
	s.warnOfToggles([]string{"externalServiceAccounts", "externalServiceAcounts", "pluginFeature", "accessControlOnCall"})
	got := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(got) != 2 || !strings.Contains(got[0], `toggle=externalServiceAcounts`) || !strings.Contains(got[0], `"did you mean"=externalServiceAccounts`) ||
		!strings.Contains(got[1], "toggle=pluginFeature") || strings.Contains(got[1], "did you mean") {
		t.Errorf("log: %q", got)
	}
}
