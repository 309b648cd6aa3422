package server

import (
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/loader"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	s := testkit.Must(newPluginSettings(variables([]string{"GF_PLUGIN_ACME_APP_REGION=east", "GF_PLUGIN_ACME_APP_DATASOURCE_KEY=k1", "SVC_PLUGIN_ACME_APP_DATASOURCE_KEY=k2",
		"GF_PLUGIN_ACME_APP_APP_CLIENT_SECRET=stolen", "GF_PLUGIN_ACME_APP_ID=x", "GF_DATAPROXY_ROW_LIMIT=5", "GF_SQL_DATASOURCES_MAX_IDLE_CONNS_DEFAULT=3"}),
		slog.New(slog.NewTextHandler(&log, nil))))(t)
	s.set(map[string]map[string]string{
		"acme-app":            {"REGION": "north", "EMPTY": "", "WORKING_DIRECTORY": "plugin"},
		"acme-app-datasource": {"REGION": "south"},
		"acme-ap":             {"A": "1"},
	})
	config := map[string]string{"GF_SQL_ROW_LIMIT": "5", "GF_SQL_MAX_OPEN_CONNS_DEFAULT": "100", "GF_SQL_MAX_IDLE_CONNS_DEFAULT": "3",
		"GF_SQL_MAX_CONN_LIFETIME_SECONDS_DEFAULT": "14400", "GF_CONCURRENT_QUERY_COUNT": "10",
		"GF_USER_FACING_DEFAULT_ERROR": "the request failed; the log of the host has details"}
	mounted := []string{"acme-app", "acme-app-datasource", "acme-other-app"}
	for id, want := range map[string]loader.Settings{
		"acme-app":            {InPluginDir: true, Config: config, Values: map[string]string{"REGION": "east", "EMPTY": ""}},
		"acme-app-datasource": {Config: config, Values: map[string]string{"REGION": "south", "KEY": "k2"}},
		"acme-other-app":      {Config: config, Values: map[string]string{}},
	} {
		if diff := cmp.Diff(want, s.of(id, mounted)); diff != "" {
			t.Errorf("settings of %s (-want +got):\n%s", id, diff)
		}
	}
	s.warnOfUnknown(mounted)
	s.warnOfUnknown(mounted)
	for _, warning := range []string{"acme-ap ", "did you mean", "GF_PLUGIN_ACME_APP_APP_CLIENT_SECRET"} {
		if !strings.Contains(log.String(), warning) {
			t.Errorf("the log does not contain %q:\n%s", warning, log.String())
		}
	}
	if n := strings.Count(log.String(), "not mounted"); n != 1 {
		t.Errorf("%d warnings about plugins that are not mounted", n)
	}
	for _, secret := range []string{"stolen", "k2", "east"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log contains the value %q:\n%s", secret, log.String())
		}
	}
}

// Errors name the variable or the key, but never contain a value.
func TestSettingsErrors(t *testing.T) {
	t.Parallel()
	for variable, want := range map[string]string{
		"GF_DATAPROXY_ROW_LIMIT=s3cret":        "GF_DATAPROXY_ROW_LIMIT must be a number from 1",
		"GF_DATAPROXY_ROW_LIMIT=0":             "GF_DATAPROXY_ROW_LIMIT must be a number from 1",
		"GF_DATAPROXY_RESPONSE_LIMIT=-1":       "GF_DATAPROXY_RESPONSE_LIMIT must be a number from 0",
		"GF_DATAPROXY_SEND_USER_HEADER=s3cret": "GF_DATAPROXY_SEND_USER_HEADER must be true or false",
	} {
		if _, err := newPluginSettings(variables([]string{variable}), slog.New(slog.DiscardHandler)); err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v, want %s", variable, err, want)
		}
	}
	for key, want := range map[string]string{
		"APP_CLIENT_SECRET": "is reserved", "PATH": "is not supported", "WORKING_DIRECTORY": `must be "plugin" or "private"`, "A B": "must consist of letters", "": "must consist of letters",
	} {
		if err := checkSetting(key, "s3cret"); err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v, want %s", key, err, want)
		}
	}
	for _, value := range []string{strings.Repeat("x", maxSetting+1), "\xff", "\x00"} {
		if err := checkSetting("KEY", value); err == nil {
			t.Errorf("no error for %.10q", value)
		}
	}
}

// Applying the files again restarts the plugins whose settings have changed, and no others. A
// broken file changes nothing.
func TestSettingsReload(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(entries string) {
		t.Helper()
		writeProvisioning(t, dir, "plugins/a.yaml", "apiVersion: 1\nsettings:\n"+entries)
	}
	write("  - {type: " + tellerID + ", values: {key: one}}\n")
	var log output
	h := openTeller(t, Options{Provisioning: dir, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	p, _ := h.loader.Plugin(tellerID)
	first := p.Status().PID
	if got := h.variable("GF_PLUGIN_KEY"); got != "one" || h.variable("SVC_PLUGIN_KEY") != "one" {
		t.Errorf("GF_PLUGIN_KEY=%q", got)
	}
	for _, step := range []struct {
		text, value string
		restarts    bool
	}{
		{"  - {type: " + tellerID + ", values: {key: one}}\n  - {type: acme-other-app, values: {key: x}}\n", "one", false},
		{"  - {type: " + tellerID + ", values: {key: [s3cret]}}\n", "one", false},
		{"  - {type: " + tellerID + ", values: {key: s3cret, working_directory: plugin}}\n", "s3cret", true},
	} {
		write(step.text)
		testkit.OK(t, h.Mount(t.Context()))
		if got := h.variable("GF_PLUGIN_KEY"); got != step.value || (p.Status().PID != first) != step.restarts {
			t.Errorf("after %q: GF_PLUGIN_KEY=%q, process %d, before %d", step.text, got, p.Status().PID, first)
		}
	}
	pluginDir := testkit.Must(filepath.EvalSymlinks(h.pluginDir))(t)
	if got := h.process().Directory; got != pluginDir {
		t.Errorf("the process runs in %s, want %s", got, pluginDir)
	}
	if slices.Contains(h.process().Environment, "GF_PLUGIN_WORKING_DIRECTORY=plugin") {
		t.Error("the process was told where it runs")
	}
	if text := log.String(); !strings.Contains(text, "could not be applied") || strings.Contains(text, "s3cret") {
		t.Errorf("log:\n%s", text)
	}
	if config := p.Context().Config; config["GF_PLUGIN_KEY"] != "s3cret" || config["GF_SQL_ROW_LIMIT"] != "1000000" || config["GF_APP_URL"] != h.URL() {
		t.Errorf("configuration of calls: %v", config)
	}
}
