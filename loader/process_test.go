//go:build unix

package loader

import (
	"errors"
	"log/slog"
	"os"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// A start whose private directory is gone fails before the process exists; there is no end to
// wait for.
func TestStartWithoutAPrivateDirectory(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	writePlugin(t, root, "a", "ok", "")
	found, _ := bundle.Discover(root)
	dir, err := newRunDir()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = dir.close() }()
	l := testkit.Must(prepare(found[0], Options{}.withDefaults(), dir, nil))(t)
	l.records = newRecords(slog.New(slog.DiscardHandler))
	testkit.OK(t, os.RemoveAll(l.dir))
	_, err = l.start(t.Context())
	if f, ok := errors.AsType[*bundle.Fault](err); !ok || f.Code != bundle.FaultCopy || !isRetriable(err) {
		t.Errorf("error %v", err)
	}
}

// A process without a Loader leaves no directory behind, whether it is attached or not, and
// can be stopped twice.
func TestStopTwice(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	writePlugin(t, root, "a", "ok", "")
	found, _ := bundle.Discover(root)
	for name, o := range map[string]Options{"started": {}, "attached": {Debug: Debugging{Attach: []string{"a"}}}} {
		p := testkit.Must(Start(t.Context(), found[0], o, Output{}))(t)
		dir := p.runDir.path
		for range 2 {
			if err := p.Stop(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the directory is left behind (%v)", name, err)
		}
	}
}
