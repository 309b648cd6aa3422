package watch

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// running is a Run in the background.
type running struct{ changes chan Changes }

func start(t *testing.T, o Options) *running {
	t.Helper()
	r := &running{make(chan Changes, 100)}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- Run(ctx, o, func(c Changes) { r.changes <- c }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	if first := <-r.changes; len(first.Changed)+len(first.Moving) > 0 {
		t.Fatalf("the first report has %+v", first)
	}
	return r
}

// await returns once a change of every path was reported.
func (r *running) await(t *testing.T, paths ...string) {
	t.Helper()
	left := slices.Clone(paths)
	for len(left) > 0 {
		c := <-r.changes
		left = slices.DeleteFunc(left, func(p string) bool { return slices.Contains(c.Changed, p) })
	}
}

// options returns options that watch a directory of the test.
func options(t *testing.T) Options {
	t.Helper()
	root := testkit.Must(filepath.EvalSymlinks(t.TempDir()))(t)
	return Options{Dirs: []string{root}, Interval: 20 * time.Millisecond}
}

func TestChangesAreReported(t *testing.T) {
	t.Parallel()
	o := options(t)
	root := o.Dirs[0]
	a := filepath.Join(root, "a", "plugin.json")
	testkit.WriteFile(t, a, "1")
	r := start(t, o)
	testkit.WriteFile(t, a, "22")
	r.await(t, a)
	// An atomic rename.
	testkit.WriteFile(t, a+".new", "333")
	testkit.OK(t, os.Rename(a+".new", a))
	r.await(t, a)
	// A directory that comes with files, and one below it.
	b := filepath.Join(root, "b", "img", "logo.svg")
	testkit.WriteFile(t, b, "1")
	r.await(t, b)
	testkit.WriteFile(t, b, "22")
	r.await(t, b)
	// A directory that is moved away, and another that takes its place.
	testkit.OK(t, os.Rename(filepath.Join(root, "b"), filepath.Join(root, "c")))
	c := filepath.Join(root, "c", "img", "logo.svg")
	r.await(t, b, c)
	testkit.WriteFile(t, b, "a third one")
	r.await(t, b)
	testkit.WriteFile(t, c, "a fourth one")
	r.await(t, c)
	testkit.OK(t, os.RemoveAll(filepath.Join(root, "c")))
	r.await(t, c)
	testkit.OK(t, os.Chmod(b, 0o755))
	r.await(t, b)
	// A directory that is moved away and back before the watcher looks.
	dir := filepath.Dir(b)
	testkit.OK(t, os.Rename(dir, dir+".old"), os.Rename(dir+".old", dir))
	testkit.WriteFile(t, a, "4444")
	r.await(t, a)
	testkit.WriteFile(t, b, "a fifth one, which is longer")
	r.await(t, b)
}

// A file that was reported as moving is reported again if it changes back.
func TestChangesBack(t *testing.T) {
	t.Parallel()
	info := testkit.Must(os.Stat("."))(t)
	s := settling{reported: map[string]os.FileInfo{"gpx": info}, pending: map[string]pending{}, after: time.Minute}
	now := time.Now()
	if changed, moving := s.compare(nil, now); len(changed) > 0 || !slices.Equal(moving, []string{"gpx"}) {
		t.Errorf("changed %q, moving %q", changed, moving)
	}
	for _, want := range [][]string{{"gpx"}, nil} {
		if changed, moving := s.compare(map[string]os.FileInfo{"gpx": info}, now); !slices.Equal(changed, want) || len(moving) > 0 {
			t.Errorf("changed %q, moving %q, want %q", changed, moving, want)
		}
	}
}

func TestSymbolicLinks(t *testing.T) {
	t.Parallel()
	o := options(t)
	root := o.Dirs[0]
	elsewhere := testkit.Must(filepath.EvalSymlinks(t.TempDir()))(t)
	for _, release := range []string{"1", "2"} {
		testkit.WriteFile(t, filepath.Join(elsewhere, release, "plugin.json"), release+strings.Repeat(" ", len(release)))
		testkit.WriteFile(t, filepath.Join(elsewhere, release, "gpx"), strings.Repeat(release, 10))
	}
	current := filepath.Join(elsewhere, "current")
	if err := os.Symlink("1", current); err != nil {
		t.Skip("the system has no symbolic links: ", err)
	}
	testkit.OK(t, os.Symlink(current, filepath.Join(root, "linked")), // a plugin elsewhere, through two links
		os.Mkdir(filepath.Join(root, "plain"), 0o755),
		os.Symlink(filepath.Join(current, "gpx"), filepath.Join(root, "plain", "gpx"))) // a file
	r := start(t, o)
	linked, file := filepath.Join(root, "linked", "gpx"), filepath.Join(root, "plain", "gpx")
	testkit.WriteFile(t, filepath.Join(elsewhere, "1", "gpx"), "changed in place")
	r.await(t, linked, file)
	testkit.OK(t, os.Remove(filepath.Join(elsewhere, "1", "gpx")))
	testkit.WriteFile(t, filepath.Join(elsewhere, "1", "gpx"), "another")
	r.await(t, linked, file)
	testkit.OK(t, os.Symlink("2", current+".new"), os.Rename(current+".new", current))
	r.await(t, linked, file)
	testkit.WriteFile(t, filepath.Join(elsewhere, "2", "gpx"), "changed in the new place")
	r.await(t, linked, file)
}

// A directory to watch may be missing, and be removed.
func TestMissingDirectory(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Dirs[0] = filepath.Join(o.Dirs[0], "not", "yet")
	r := start(t, o)
	file := filepath.Join(o.Dirs[0], "a", "plugin.json")
	for range 2 {
		testkit.WriteFile(t, file, "1")
		r.await(t, file)
		testkit.OK(t, os.RemoveAll(filepath.Dir(o.Dirs[0])))
		r.await(t, file)
	}
}

// A file that grows is reported once, when it is complete, and does not hold up others.
func TestGrowingFile(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Settle = 2 * time.Second // much longer than the pauses of the writer
	root := o.Dirs[0]
	growing, other := filepath.Join(root, "a", "gpx"), filepath.Join(root, "b", "plugin.json")
	testkit.WriteFile(t, growing, "")
	testkit.WriteFile(t, other, "1")
	r := start(t, o)
	f := testkit.Must(os.OpenFile(growing, os.O_WRONLY|os.O_APPEND, 0))(t)
	defer f.Close()
	isOtherReported, steps := false, 0
	for ; !isOtherReported; steps++ {
		testkit.Must(f.WriteString("more "))(t)
		if steps == 5 {
			testkit.WriteFile(t, other, "22")
		}
		select {
		case c := <-r.changes:
			if slices.Contains(c.Changed, growing) {
				t.Fatalf("reported while it grew: %+v", c)
			}
			isOtherReported = slices.Contains(c.Changed, other)
			if isOtherReported && !slices.Contains(c.Moving, growing) {
				t.Errorf("the growing file is not reported as moving: %+v", c)
			}
		case <-time.After(20 * time.Millisecond):
		}
	}
	r.await(t, growing)
	info := testkit.Must(f.Stat())(t)
	if want := int64(steps * len("more ")); info.Size() != want {
		t.Errorf("reported at %d bytes, want %d", info.Size(), want)
	}
}

// The watcher skips the entries that bundle.Discover skips.
func TestIgnored(t *testing.T) {
	t.Parallel()
	o := options(t)
	root := o.Dirs[0]
	seen := filepath.Join(root, "a", "plugin.json")
	testkit.WriteFile(t, seen, "1")
	r := start(t, o)
	testkit.WriteFile(t, filepath.Join(root, "a", "node_modules", "b", "index.js"), "1")
	testkit.WriteFile(t, filepath.Join(root, "a", ".plugin.json.swp"), "1")
	testkit.WriteFile(t, seen, "22")
	if c := <-r.changes; !slices.Equal(c.Changed, []string{seen}) {
		t.Errorf("reported %+v", c)
	}
}
