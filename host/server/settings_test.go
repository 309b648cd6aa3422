package server

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/loader"
)

// readSettingsFile reads settings. The log has no times.
func readSettingsFile(t *testing.T, text string, environ ...string) (s *pluginSettings, log *strings.Builder, err error) {
	t.Helper()
	log = &strings.Builder{}
	dir := t.TempDir()
	file := filepath.Join(dir, "host.ini")
	for name, content := range map[string]string{file: text, filepath.Join(dir, "secret"): " from a file\n", filepath.Join(dir, "large"): strings.Repeat("x", maxValue+1), filepath.Join(dir, "large16"): strings.Repeat("x", maxValue/4)} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s = &pluginSettings{file: file, environ: environ, log: slog.New(slog.NewTextHandler(log, nil))}
	err = s.read()
	return s, log, err
}

// manyKeys returns keys with values of 16 KiB.
func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "key%d = $__file{large16}\n", i)
	}
	return b.String()
}

func TestSettings(t *testing.T) {
	t.Parallel()
	s, log, err := readSettingsFile(t, "\ufeff; top\r\ninstance = x\n[server]\nhttp_port = \"3000\ntext = \"\"\"\n[plugin.not-a-section]\n\"\"\"\n"+
		"[plugin.acme-app]   # own\r\nregion = north ; comment\r\nempty =\nquoted=\"a#b;c\"\nraw = `$__env{TOKEN}`\nlong = \"\"\"one\ntwo\"\"\"\n"+
		"Env: a$__env{TOKEN}-${OTHER}-$TOKEN\nfile = $__file{secret}\nworking_directory = plugin\n"+
		"[plugin.acme-app-datasource]\nregion = south\n[plugin.acme-ap]\na = 1\n[dataproxy]\nrow_limit = 5\nlogging = true\n",
		"TOKEN=t0ken", "GF_PLUGIN_ACME_APP_REGION=east", "GF_PLUGIN_ACME_APP_DATASOURCE_KEY=k1", "SVC_PLUGIN_ACME_APP_DATASOURCE_KEY=k2",
		"GF_PLUGIN_ACME_APP_APP_CLIENT_SECRET=stolen", "GF_PLUGIN_ACME_APP_ID=x", "GF_SQL_DATASOURCES_MAX_IDLE_CONNS_DEFAULT=3")
	if err != nil {
		t.Fatal(err)
	}
	config := map[string]string{"GF_SQL_ROW_LIMIT": "5", "GF_SQL_MAX_OPEN_CONNS_DEFAULT": "100", "GF_SQL_MAX_IDLE_CONNS_DEFAULT": "3",
		"GF_SQL_MAX_CONN_LIFETIME_SECONDS_DEFAULT": "14400", "GF_CONCURRENT_QUERY_COUNT": "10",
		"GF_USER_FACING_DEFAULT_ERROR": "the request failed; the log of the host has details"}
	mounted := []string{"acme-app", "acme-app-datasource", "acme-other-app"}
	for id, want := range map[string]loader.Settings{
		"acme-app": {InPluginDir: true, Config: config, Values: map[string]string{"REGION": "east", "EMPTY": "", "QUOTED": "a#b;c", "RAW": "$__env{TOKEN}",
			"LONG": "one\ntwo", "ENV": "at0ken--$TOKEN", "FILE": "from a file"}},
		"acme-app-datasource": {Config: config, Values: map[string]string{"REGION": "south", "KEY": "k2"}},
		"acme-other-app":      {Config: config, Values: map[string]string{}},
	} {
		if diff := cmp.Diff(want, s.of(id, mounted)); diff != "" {
			t.Errorf("settings of %s (-want +got):\n%s", id, diff)
		}
	}
	s.warnOfUnknown(mounted)
	s.warnOfUnknown(mounted)
	warnings := []string{"sections are ignored", "the host has no such key", "variable is not set", "acme-ap ", "did you mean", "GF_PLUGIN_ACME_APP_APP_CLIENT_SECRET"}
	for _, warning := range warnings {
		if !strings.Contains(log.String(), warning) {
			t.Errorf("the log does not contain %q:\n%s", warning, log)
		}
	}
	if n := strings.Count(log.String(), "not mounted"); n != 1 {
		t.Errorf("%d warnings about plugins that are not mounted", n)
	}
	for _, secret := range []string{"t0ken", "OTHER", "from a file", "stolen", "k2", "east", "a#b"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log contains the value %q:\n%s", secret, log)
		}
	}
}

// Errors have positions and name keys, but never contain a value.
func TestSettingsErrors(t *testing.T) {
	t.Parallel()
	const section = "[plugin.acme-app]\n"
	for text, want := range map[string][]string{
		section + "key = s3cret#x":           {`:2:13: "#" begins a comment`},
		section + "key = \"s3cret":           {`:2:7: the value must end with "`},
		section + "key = \"\"\"s3cret\nmore": {`:2:7: """ is not closed`},
		section + "key = s3cret\\\nmore":     {`:2:13: a value that ends with \`, ":3:1: expected [section] or key = value"},
		section + "a = s3cret\nA = s3cret":   {":3:1: key A is already set on line 2"},
		section + "a b = s3cret":             {`:2:1: invalid key: use`},
		section + " just s3cret":             {":2:2: expected [section] or key = value"},
		section + "key = s3cret\xff":         {":2: key key: the value must be valid UTF-8"},
		section + "MIIEs3cret/+==":           {":2:1: invalid key"},
		section + "key = $__file{large16}$__file{large16}$__file{large16}$__file{large16}$__file{large16}": {":2: key key: the value is larger than 64 KiB"},
		section + manyKeys(70):                               {": all values together are larger than 1 MiB"},
		section + "app_client_secret = s3cret":               {":2: key app_client_secret is reserved"},
		section + "path = s3cret":                            {":2: key path is not supported"},
		section + "working_directory = s3cret":               {`:2: key working_directory must be "plugin" or "private"`},
		section + "key = $__file{missing}":                   {":2: key key: ", "missing"},
		section + "key = $__file{large}":                     {":2: key key: ", "larger than 64 KiB"},
		"[plugin.acme-app\n":                                 {":1:1: invalid section"},
		"[dataproxy]\nrow_limit = s3cret":                    {":2: key row_limit must be a number"},
		"[dataproxy]\nrow_limit = 0":                         {":2: key row_limit must be a number from 1"},
		"[dataproxy]\nresponse_limit = -1":                   {":2: key response_limit must be a number from 0"},
		"[dataproxy]\nsend_user_header = s3cret":             {":2: key send_user_header must be true or false"},
		section + strings.Repeat("s3cret\n", maxINIErrors+5): {":11:1: ", "has more errors"},
	} {
		_, log, err := readSettingsFile(t, text)
		for _, part := range want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%q: error %v, want %q", text, err, part)
			}
		}
		if err != nil && strings.Contains(err.Error()+log.String(), "s3cret") {
			t.Errorf("%q: the value is in the error %v or in the log %s", text, err, log)
		}
	}
	if err := (&pluginSettings{file: t.TempDir()}).read(); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a directory: %v", err)
	}
}

// Reading the file again restarts the plugins whose settings have changed, and no others.
// A broken file changes nothing.
func TestSettingsReload(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "host.ini")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("[plugin." + tellerID + "]\nkey = one\n")
	var log output
	h := openTeller(t, Options{Config: config, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	p, _ := h.loader.Plugin(tellerID)
	first := p.Status().PID
	if got := h.variable("GF_PLUGIN_KEY"); got != "one" || h.variable("SVC_PLUGIN_KEY") != "one" {
		t.Errorf("GF_PLUGIN_KEY=%q", got)
	}
	for _, step := range []struct {
		text, value string
		restarts    bool
	}{
		{"[plugin." + tellerID + "]\nkey = one\n[plugin.acme-other-app]\nkey = x\n", "one", false},
		{"[plugin." + tellerID + "]\nkey = \"s3cret\n", "one", false},
		{"[plugin." + tellerID + "]\nkey = s3cret\nworking_directory = plugin\n", "s3cret", true},
	} {
		write(step.text)
		if err := h.Mount(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := h.variable("GF_PLUGIN_KEY"); got != step.value || (p.Status().PID != first) != step.restarts {
			t.Errorf("after %q: GF_PLUGIN_KEY=%q, process %d, before %d", step.text, got, p.Status().PID, first)
		}
	}
	dir, err := filepath.EvalSymlinks(h.pluginDir)
	if err != nil {
		t.Fatal(err)
	}
	if got := h.process().Directory; got != dir {
		t.Errorf("the process runs in %s, want %s", got, dir)
	}
	if slices.Contains(h.process().Environment, "GF_PLUGIN_WORKING_DIRECTORY=plugin") {
		t.Error("the process was told where it runs")
	}
	if text := log.String(); !strings.Contains(text, "the previous settings of plugins stay in effect") || strings.Contains(text, "s3cret") {
		t.Errorf("log:\n%s", text)
	}
	if config := p.Context().Config; config["GF_PLUGIN_KEY"] != "s3cret" || config["GF_SQL_ROW_LIMIT"] != "1000000" || config["GF_APP_URL"] != h.URL() {
		t.Errorf("configuration of calls: %v", config)
	}
}

// FuzzINI requires that a key that is read has the value that stands in the file, and that
// the parser does not panic.
func FuzzINI(f *testing.F) {
	for _, text := range []string{"[a]\nk = v\n", "[b]\nx=\"\"\"1\n2\"\"\"\n[a]\nk: 'v' ; c", "k", "[a", "[a]\n=\n#\nk=`", "[a]\nk=v#"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found, err := parseINI("f", text, func(section string) bool { return section == "a" })
		for _, key := range found.keys {
			if key.section != "a" || !isName(key.name) || !strings.Contains(strings.ReplaceAll(text, "\r", ""), strings.ReplaceAll(key.value, "\r", "")) {
				t.Errorf("key %+v of %q", key, text)
			}
		}
		if err != nil && !strings.Contains(err.Error(), "f:") {
			t.Errorf("error without a position: %v", err)
		}
	})
}
