//go:build unix

package loader

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk/backend"
)

// The log of a plugin that is not mounted says why and what to do.
func TestLogOfFaults(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	l := &Loader{options: Options{Logger: slog.New(slog.NewTextHandler(&out, nil))}}
	known := bundle.Fault{Code: bundle.FaultDuplicateID, Path: "/b", Reason: "known"}
	l.logNew("plugin not mounted", []bundle.Fault{known, {Code: bundle.FaultDuplicateID, Path: "/c", Reason: "/a has the same id"}}, []bundle.Fault{known})
	if got := out.String(); !strings.Contains(got, `reason="/a has the same id: remove one of them"`) || strings.Contains(got, "known") {
		t.Error(got)
	}
}

// age gives a file a time that tells a later change from it.
func age(t *testing.T, path string) {
	t.Helper()
	before := time.Now().Add(-time.Hour)
	testkit.OK(t, os.Chtimes(path, before, before))
}

func writeMetadata(t *testing.T, dir, text string) {
	t.Helper()
	testkit.WriteFile(t, filepath.Join(dir, bundle.MetadataFile), text)
}

// A broken plugin.json or directory does not stop a plugin, and a fix is applied
// without touching the process.
func TestABrokenPluginStaysMounted(t *testing.T) {
	t.Parallel()
	l, p := mount(t, "ok", "", Options{})
	dir := p.Bundle().Dir
	pid := p.Status().PID
	for _, broken := range []string{"", "{", `{"type":"app"}`, `{"id":"../a","type":"app"}`, `{"id":"a","type":"nothing"}`} {
		writeMetadata(t, dir, broken)
		testkit.OK(t, l.Refresh(nil))
		if len(l.Faults()) != 1 {
			t.Errorf("%q: faults %v", broken, l.Faults())
		}
		if _, err := fetch(t.Context(), mustPlugin(t, l, "a"), "x"); err != nil {
			t.Errorf("%q: %v", broken, err)
		}
	}
	writeMetadata(t, dir, `{"id":"a","name":"fixed","type":"app","backend":true,"executable":"gpx_ok","info":{"version":"1.0.0"}}`)
	reload(t, l)
	if got := p.Bundle().Metadata.Name; got != "fixed" || p.Status().PID != pid || len(l.Faults()) > 0 {
		t.Errorf("name %q, process %d instead of %d, faults %v", got, p.Status().PID, pid, l.Faults())
	}
	// Another id is another plugin.
	writeMetadata(t, dir, `{"id":"b","name":"x","type":"app","info":{"version":"1.0.0"}}`)
	reload(t, l)
	if _, ok := l.Plugin("a"); ok {
		t.Error("the old id is still mounted")
	}
}

// Refresh skips plugins without changes, even those that failed; Reload does not.
func TestRefreshIsIncremental(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, id := range []string{"good", "bad"} {
		dir := writePlugin(t, root, id, "ok", "")
		age(t, filepath.Join(dir, bundle.MetadataFile))
	}
	executable := filepath.Join(root, "bad", bundle.Host().Executable("gpx_ok"))
	script := func(text string) {
		testkit.OK(t, os.RemoveAll(executable), os.WriteFile(executable, []byte("#!/bin/sh\necho run >> "+root+"/runs\n"+text), 0o755))
		age(t, executable)
	}
	script("exit 1\n")
	good := filepath.Join(root, "good", bundle.Host().Executable("gpx_ok"))
	replaceWithCopy(t, good) // other tests use what it links to
	age(t, good)
	l := start(t, Options{Dirs: []string{root}})
	updated := func(isWanted bool) (ids []string) {
		plugins, _, err := l.scan(func(string) bool { return isWanted }, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range plugins {
			ids = append(ids, p.ID())
		}
		return ids
	}
	if got := updated(false); len(got) > 0 {
		t.Errorf("without a change, a refresh updates %v", got)
	}
	if got := updated(true); !slices.Equal(got, []string{"bad", "good"}) {
		t.Errorf("a reload updates %v", got)
	}
	script("exit  1\n") // another file of nearly the same content
	if got := updated(false); !slices.Equal(got, []string{"bad"}) {
		t.Errorf("after a change of the executable, a refresh updates %v", got)
	}
	// The times of two changes in quick succession may be equal.
	metadata := filepath.Join(root, "good", bundle.MetadataFile)
	for _, want := range [][]string{{"good"}, nil} {
		writeMetadata(t, filepath.Join(root, "good"), `{"id":"good","name":"y","type":"app","backend":true,"executable":"gpx_ok","info":{"version":"1.0.0"}}`)
		age(t, metadata)
		if got := updated(false); !slices.Equal(got, want) {
			t.Errorf("a refresh updates %v, want %v", got, want)
		}
	}
}

// A plugin with a file that is still being written is not touched, nor mounted if it is new.
func TestMovingFilesAreLeftAlone(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := writePlugin(t, root, "a", "ok", "")
	l := start(t, Options{Dirs: []string{root}})
	p := mustPlugin(t, l, "a")
	executable := filepath.Join(dir, bundle.Host().Executable("gpx_ok"))
	testkit.OK(t, os.Remove(executable), os.WriteFile(executable, []byte("#!/bin/sh\nexit 1\n"), 0o755))
	other := writePlugin(t, root, "b", "ok", "")
	moving := []string{executable, filepath.Join(other, bundle.MetadataFile)}
	testkit.OK(t, l.Refresh(moving))
	testkit.OK(t, p.Settled(t.Context()))
	if s := p.Status(); s.Reason != "" {
		t.Errorf("status %+v", s)
	}
	if _, ok := l.Plugin("b"); ok {
		t.Error("a plugin is mounted whose plugin.json is still being written")
	}
	testkit.OK(t, l.Refresh(nil))
	testkit.OK(t, p.Settled(t.Context()))
	if s := p.Status(); !strings.Contains(s.Reason, "did not start") {
		t.Errorf("status %+v", s)
	}
	mustPlugin(t, l, "b")
}

func TestRestart(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	writePlugin(t, root, "a", "ok", "")
	panel := filepath.Join(root, "panel")
	testkit.OK(t, os.Mkdir(panel, 0o755))
	writeMetadata(t, panel, `{"id":"panel","type":"panel","name":"x","info":{"version":"1.0.0"}}`)
	l := start(t, Options{Dirs: []string{root}})
	p := mustPlugin(t, l, "a")
	before := p.Status()
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			if _, err := fetch(t.Context(), p, "x?sleep=200ms"); err != nil {
				t.Error(err)
			}
		})
	}
	time.Sleep(50 * time.Millisecond)
	testkit.OK(t, p.Restart(t.Context()))
	calls.Wait()
	if after := p.Status(); after.State != StateRunning || after.PID == before.PID || after.Restarts != 0 {
		t.Errorf("before %+v, after %+v", before, after)
	}
	if err := mustPlugin(t, l, "panel").Restart(t.Context()); !errors.Is(err, backend.ErrUnsupported) {
		t.Errorf("restart of a panel: %v", err)
	}
}

// Notify receives each change once, in order.
func TestNotify(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var got []string
	l, p := mount(t, "ok", "", Options{Notify: func(c Change) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, fmt.Sprint(c.Kind, " ", c.ID, " ", c.Version, " ", c.Status.State))
	}})
	dir := p.Bundle().Dir
	testkit.OK(t, p.Restart(t.Context()))
	testkit.OK(t, os.RemoveAll(dir))
	reload(t, l)
	want := []string{"added a 1.0.0 starting", "state a 1.0.0 running", "state a 1.0.0 running", "removed a 1.0.0 running"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

// Reload does not wait for calls to a plugin that was removed once its context is done.
func TestReloadDuringADrain(t *testing.T) {
	t.Parallel()
	l, p := mount(t, "ok", "", Options{DrainTimeout: time.Hour})
	dir := p.Bundle().Dir
	proc := testkit.Must(p.acquire(t.Context()))(t)
	defer proc.release()
	testkit.OK(t, os.RemoveAll(dir))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if err := l.Reload(ctx); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "plugin a") {
		t.Errorf("error %v", err)
	}
}

// replaceWithCopy replaces a link by a copy of what it points to.
func replaceWithCopy(t *testing.T, link string) {
	t.Helper()
	from := testkit.Must(os.Open(link))(t)
	defer from.Close()
	testkit.OK(t, os.Remove(link))
	to := testkit.Must(os.OpenFile(link, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755))(t)
	if _, err := io.Copy(to, from); errors.Join(err, to.Close()) != nil {
		t.Fatal(err)
	}
}
