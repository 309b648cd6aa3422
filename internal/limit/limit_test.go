package limit

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestReadAll(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 511, 512, 513, 4096, 5000} {
		text := strings.Repeat("x", size)
		file := filepath.Join(t.TempDir(), "x")
		testkit.OK(t, os.WriteFile(file, []byte(text), 0o600))
		f := testkit.Must(os.Open(file))(t)
		t.Cleanup(func() { _ = f.Close() })
		for name, r := range map[string]io.Reader{
			"file": f, "reader": strings.NewReader(text), "one byte": iotest.OneByteReader(strings.NewReader(text)),
			"data with EOF": iotest.DataErrReader(strings.NewReader(text)), "claims less": lying{strings.NewReader(text), 0},
			"claims more": lying{strings.NewReader(text), 1 << 30},
		} {
			got, err := ReadAll(r, 5000)
			if diff := cmp.Diff(text, string(got)); diff != "" || err != nil {
				t.Errorf("%s of %d bytes: %v %s", name, size, err, diff)
			}
		}
	}
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	for _, r := range []io.Reader{bytes.NewReader(make([]byte, 1025)), lying{bytes.NewReader(make([]byte, 1025)), 3}} {
		data, err := ReadAll(r, 1024)
		if _, ok := errors.AsType[*TooLargeError](err); !ok || data != nil || err.Error() != "larger than 1 KiB" {
			t.Errorf("%d bytes, %v", len(data), err)
		}
	}
	if _, err := ReadAll(iotest.ErrReader(io.ErrUnexpectedEOF), 10); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

// lying is a file that reports the wrong size.
type lying struct {
	io.Reader
	size int
}

func (l lying) Stat() (fs.FileInfo, error) {
	return fstest.MapFS{"x": {Data: make([]byte, min(l.size, 1<<20))}}.Stat("x")
}

func (l lying) Close() error { return nil }

func TestReadSettings(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "package.json")
	if err := os.WriteFile(name, []byte("\uFEFF{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := ReadSettings(name); err != nil || string(text) != "{}" {
		t.Errorf("got %q, %v", text, err)
	}
}
