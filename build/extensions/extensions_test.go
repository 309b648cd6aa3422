package extensions

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/internal/testkit"
)

var update = flag.Bool("update", false, "rewrite the want sections of testdata")

// write creates the files of an archive below a new directory, whose name has a space.
func write(t *testing.T, a *txtar.Archive) Options {
	t.Helper()
	root := filepath.Join(t.TempDir(), "my repo")
	testkit.OK(t, txtar.Write(a, root))
	return Options{Root: root, Source: filepath.Join(root, "src")}
}

// Each archive in testdata is a repository and what is found in it.
func TestFixtures(t *testing.T) {
	files := testkit.Must(filepath.Glob("testdata/*.txtar"))(t)
	for _, file := range files {
		// Not in parallel: the memory limit is for the process.
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a := testkit.Must(txtar.ParseFile(file))(t)
			want := ""
			if last := len(a.Files) - 1; a.Files[last].Name == "want" {
				want = string(a.Files[last].Data)
				a.Files = a.Files[:last]
			}
			o := write(t, a)
			memory := peak()
			r, err := Find(t.Context(), o)
			if used := memory(); used > 512<<20 {
				t.Errorf("uses %d MB, want at most 512", used>>20)
			}
			got := shown(r, err)
			if *update {
				a.Files = append(a.Files, txtar.File{Name: "want", Data: []byte(got)})
				testkit.OK(t, os.WriteFile(file, txtar.Format(a), 0o644))
				return
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("result (-want +got):\n%s", d)
			}
		})
	}
}

// An infinite asynchronous loop is stopped. Where it was at that moment, if it ran at all, is left to chance,
// so no archive has it.
func TestEndlessAwait(t *testing.T) {
	o := write(t, txtar.Parse([]byte(`
-- src/module.ts --
import { AppPlugin } from '@grafana/data';

export const plugin = new AppPlugin();

async function poll() {
  for (;;) {
    await null;
  }
}
void poll();

plugin.addLink({ title: 'After', targets: 'acme/after' });
`)))
	r, err := Find(t.Context(), o)
	if err != nil || len(r.Extensions) != 1 || r.Extensions[0].PointID != "acme/after" {
		t.Fatalf("%+v, %v", r, err)
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].Text, "evaluation ended here because it took too long") {
		t.Errorf("warnings %v", r.Warnings)
	}
}

func shown(r *Result, err error) string {
	var b strings.Builder
	if err != nil {
		fmt.Fprintf(&b, "error: %v\n", err)
		return b.String()
	}
	for _, e := range r.Extensions {
		fmt.Fprintf(&b, "%s:%d:%d: %s at %q: %q, %q\n", e.File, e.Line, e.Column, e.Type, e.PointID, e.Title, e.Description)
	}
	for _, e := range r.Exposed {
		fmt.Fprintf(&b, "%s:%d:%d: exposes %q: %q, %q\n", e.File, e.Line, e.Column, e.ID, e.Title, e.Description)
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "warning: %s\n  help: %s\n", w, w.Help)
		if w.Line == 0 {
			b.WriteString("  without a position\n")
		}
	}
	return b.String()
}

// peak measures memory until the function that it returns is called. That returns the
// most memory that the process had from the operating system, less what it had at first.
func peak() func() uint64 {
	debug.FreeOSMemory()
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	read := func() uint64 {
		metrics.Read(samples)
		return samples[0].Value.Uint64() - samples[1].Value.Uint64()
	}
	start := read()
	highest := start
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			highest = max(highest, read())
			time.Sleep(time.Millisecond)
		}
	}()
	return func() uint64 {
		cancel()
		<-done
		return highest - start
	}
}

func TestCanceled(t *testing.T) {
	a := testkit.Must(txtar.ParseFile("testdata/endless.txtar"))(t)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	before := runtime.NumGoroutine()
	if _, err := Find(ctx, write(t, a)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
	}
	for runtime.NumGoroutine() > before { // one that has reported its result may not have ended yet
		time.Sleep(time.Millisecond) // the test times out if one is left
	}
}
