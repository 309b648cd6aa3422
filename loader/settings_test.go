//go:build unix

package loader

import (
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk"
)

// ApplySettings starts a backend that could not start without a setting, restarts those whose
// settings have changed, and leaves others alone. Reload alone does not.
func TestApplySettings(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for id, mode := range map[string]string{"changed": "ok", "parked": "needs", "same": "ok"} {
		writePlugin(t, root, id, mode, "")
	}
	var mu sync.Mutex
	values := map[string]string{"REGION": "north"}
	var l *Loader
	set := func(v map[string]string) {
		mu.Lock()
		defer mu.Unlock()
		values = v
	}
	l = start(t, Options{
		Dirs: []string{root}, HostVersion: "10.3.0", AppURL: "http://127.0.0.1:1",
		Environ: []string{"SVC_PLUGIN_PROFILING_PORT=1"},
		Settings: func(id string) Settings {
			mu.Lock()
			defer mu.Unlock()
			if id == "same" {
				return Settings{Values: map[string]string{"PROFILING_PORT": "2", "VERSION": "forged", "APP_CLIENT_SECRET": "forged"}}
			}
			return Settings{Values: values, Config: map[string]string{"GF_SQL_ROW_LIMIT": "5", "GF_VERSION": "forged"}}
		},
	})
	awaitStatus(t, mustPlugin(t, l, "parked"), func(s Status) bool { return s.State == StateCrashLoop })
	changed, same := mustPlugin(t, l, "changed"), mustPlugin(t, l, "same")
	before := map[*Plugin]int{changed: changed.Status().PID, same: same.Status().PID}

	set(map[string]string{"REGION": "south", "NEEDED": "here"})
	reload(t, l)
	if pid := changed.Status().PID; pid != before[changed] || changed.Context().Config["GF_PLUGIN_REGION"] != "north" {
		t.Errorf("Reload replaced process %d with %d; calls are told %v", before[changed], pid, changed.Context().Config)
	}
	testkit.OK(t, l.ApplySettings(t.Context()))
	if s := mustPlugin(t, l, "parked").Status(); !isRunning(s) {
		t.Errorf("parked: %+v", s)
	}
	if pid := same.Status().PID; pid != before[same] || changed.Status().PID == before[changed] {
		t.Errorf("processes before %v; now same is %d and changed %d", before, pid, changed.Status().PID)
	}
	env := environmentOf(t, changed)
	if env["SVC_PLUGIN_REGION"] != "south" || env["GF_PLUGIN_REGION"] != "south" {
		t.Errorf("environment %v", env)
	}
	env = environmentOf(t, same)
	if env["SVC_PLUGIN_PROFILING_PORT"] != "2" || env["SVC_PLUGIN_VERSION"] != "1.0.0" || env["SVC_PLUGIN_APP_CLIENT_SECRET"] != "" {
		t.Errorf("environment %v", env)
	}
	want := sdk.Context{
		PluginID: "changed", PluginVersion: "1.0.0", UserAgent: "Grafana/10.3.0 (" + runtime.GOOS + "; " + runtime.GOARCH + ")",
		Config: map[string]string{"GF_APP_URL": "http://127.0.0.1:1", "GF_VERSION": "10.3.0", "GF_SQL_ROW_LIMIT": "5",
			"GF_PLUGIN_REGION": "south", "GF_PLUGIN_NEEDED": "here"},
	}
	if diff := cmp.Diff(want, changed.Context()); diff != "" {
		t.Errorf("context (-want +got):\n%s", diff)
	}
}

// Settings that change while a process starts for the first time are not missed.
func TestSettingsChangeDuringAStart(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	writePlugin(t, root, "a", "ok", "")
	var mu sync.Mutex
	value := "old"
	read := func() string {
		mu.Lock()
		defer mu.Unlock()
		return value
	}
	reading, proceed := make(chan bool), make(chan bool)
	var first sync.Once
	l := start(t, Options{Dirs: []string{filepath.Join(root, "none")}, Settings: func(string) Settings {
		now := read()
		first.Do(func() {
			close(reading)
			<-proceed
		})
		return Settings{Values: map[string]string{"REGION": now}}
	}})
	l.options.Dirs = []string{root}
	testkit.OK(t, l.Refresh(nil))
	<-reading
	mu.Lock()
	value = "new"
	mu.Unlock()
	testkit.OK(t, l.ApplySettings(t.Context()))
	close(proceed)
	p := mustPlugin(t, l, "a")
	testkit.OK(t, p.Settled(t.Context()))
	if got := environmentOf(t, p)["SVC_PLUGIN_REGION"]; got != "new" {
		t.Errorf("the process has the setting %q", got)
	}
}

// Calls are told the settings of the process that serves them, even if it could not be
// replaced by one with newer settings. A plugin without a backend has none to restart.
func TestApplySettingsThatFail(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	writePlugin(t, root, "a", "needs", "")
	gone := writePlugin(t, root, "b", "ok", "")
	var needed atomic.Value
	needed.Store("here")
	l := start(t, Options{Dirs: []string{root}, Settings: func(string) Settings {
		return Settings{Values: map[string]string{"NEEDED": needed.Load().(string)}}
	}})
	p := mustPlugin(t, l, "a")
	writeMetadata(t, gone, `{"id":"b","name":"x","type":"app","info":{"version":"1.0.0"}}`)
	reload(t, l)
	if s := mustPlugin(t, l, "b").Status(); s.State != StateNoBackend {
		t.Fatalf("status %+v", s)
	}
	needed.Store("")
	if err := l.ApplySettings(t.Context()); err != nil {
		t.Error(err)
	}
	if s := p.Status(); !isRunning(s) || s.Reason == "" {
		t.Fatalf("status %+v", s)
	}
	if config := p.Context().Config; config["GF_PLUGIN_NEEDED"] != "here" {
		t.Errorf("calls are told %v", config)
	}
	needed.Store("again")
	if err := l.ApplySettings(t.Context()); err != nil {
		t.Error(err)
	}
	if config := p.Context().Config; p.Status().Reason != "" || config["GF_PLUGIN_NEEDED"] != "again" {
		t.Errorf("status %+v; calls are told %v", p.Status(), config)
	}
}
