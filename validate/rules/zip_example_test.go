package rules

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle/zipfs"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate"
)

// zipExample checks the example of a rule for zips. Its files good.zip/NAME and
// bad.zip/NAME are the entries of two zips, with these names and in this order. NAME/ is
// a directory, "NAME -> TARGET" a symbolic link, "NAME mode 600" a file with that mode, "NAME method 12" one that claims to be
// compressed with that method, and "NAME x 1000" repeats its text up to 1000 bytes. Only the rules for zips run, so that the plugin can be short.
func zipExample(t *testing.T, rule validate.Rule) {
	t.Helper()
	example := txtar.Parse([]byte(rule.Example()))
	if len(bytes.TrimSpace(example.Comment)) == 0 {
		t.Error("the example has no comment")
	}
	all := slices.DeleteFunc(All(), func(r validate.Rule) bool { return !r.OfArchive })
	check := func(side string) string {
		a := testkit.Must(zipfs.New(zipOf(t, example, side+".zip/")))(t)
		report := runWith(t, a, validate.Options{Rules: all, Prefix: side + ".zip"})
		return lines(report)
	}
	if got := check("good"); got != "" {
		t.Errorf("findings in good.zip:\n%s", got)
	}
	got := check("bad")
	if !strings.Contains(got, " "+rule.ID+" ") {
		t.Errorf("no finding of %s in bad.zip:\n%s", rule.ID, got)
	}
	want := &example.Files[len(example.Files)-1]
	if *update {
		want.Data = []byte(got)
		testkit.OK(t, os.WriteFile(exampleFile(rule.ID), txtar.Format(example), 0o644))
	}
	if diff := cmp.Diff(string(want.Data), got); diff != "" {
		t.Errorf("findings in bad.zip (-want +got):\n%s", diff)
	}
}

// zipOf returns a zip of an example.
func zipOf(t *testing.T, example *txtar.Archive, prefix string) (*bytes.Reader, int64, zipfs.Limits) {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range example.Files {
		name, ok := strings.CutPrefix(f.Name, prefix)
		if !ok {
			continue
		}
		header := &zip.FileHeader{Name: name, Method: zip.Deflate}
		header.SetMode(0o644)
		data := f.Data
		if name, target, ok := strings.Cut(name, " -> "); ok {
			header.Name, data = name, []byte(target)
			header.SetMode(fs.ModeSymlink | 0o777)
		}
		if name, size, ok := strings.Cut(name, " x "); ok {
			n := testkit.Must(strconv.Atoi(size))(t)
			header.Name, data = name, bytes.Repeat(f.Data, n/len(f.Data))
		}
		if name, mode, ok := strings.Cut(name, " mode "); ok {
			n := testkit.Must(strconv.ParseUint(mode, 8, 9))(t)
			header.Name = name
			header.SetMode(fs.FileMode(n))
		}
		if strings.HasSuffix(name, "/") {
			header.SetMode(fs.ModeDir | 0o755)
			data = nil
		}
		create := z.CreateHeader
		if name, method, ok := strings.Cut(name, " method "); ok {
			n := testkit.Must(strconv.ParseUint(method, 10, 16))(t)
			header.Name, header.Method, create = name, uint16(n), z.CreateRaw
		}
		w := testkit.Must(create(header))(t)
		testkit.Must(w.Write(data))(t)
	}
	testkit.OK(t, z.Close())
	return bytes.NewReader(b.Bytes()), int64(b.Len()), zipfs.Limits{}
}

// TestDamagedEntry damages an entry that no other rule reads.
func TestDamagedEntry(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w := testkit.Must(z.CreateRaw(&zip.FileHeader{Name: "acme-clock-panel/notes.bin", CRC32: 1, CompressedSize64: 1, UncompressedSize64: 1}))(t)
	testkit.Must(w.Write([]byte("x")))(t)
	testkit.OK(t, z.Close())
	a := testkit.Must(zipfs.New(bytes.NewReader(b.Bytes()), int64(b.Len()), zipfs.Limits{}))(t)
	const want = `zip-format - zip entry "acme-clock-panel/notes.bin" cannot be unpacked: zip: checksum error`
	if got := lines(runWith(t, a, validate.Options{Rules: only("zip-format")})); !strings.Contains(got, want) {
		t.Errorf("got:\n%s", got)
	}
}
