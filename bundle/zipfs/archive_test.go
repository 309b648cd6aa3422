package zipfs_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle/zipfs"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/rules"
)

// pack writes a zip of the entries; a name that ends in / is a directory.
func pack(t testing.TB, entries ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range entries {
		name, data, _ := strings.Cut(e, "=")
		header := &zip.FileHeader{Name: name, Method: zip.Store}
		if len(data) > 1<<10 { // creating a compressed entry takes a millisecond
			header.Method = zip.Deflate
		}
		w, err := z.CreateHeader(header)
		if err == nil && !strings.HasSuffix(name, "/") {
			_, err = io.WriteString(w, data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	testkit.OK(t, z.Close())
	return b.Bytes()
}

func open(t testing.TB, data []byte, limits zipfs.Limits) *zipfs.Archive {
	t.Helper()
	return testkit.Must(zipfs.New(bytes.NewReader(data), int64(len(data)), limits))(t)
}

func TestTree(t *testing.T) {
	t.Parallel()
	a := open(t, pack(t, "x/", "x/plugin.json={}", "x/img/logo.svg=<svg/>", `x\win\a.txt=a`, "x/again=1", "x/again=22", "../out=x", "/abs=x", "x/img=a directory", "x/again/below=x"), zipfs.Limits{})
	if err := fstest.TestFS(a, "x/plugin.json", "x/img/logo.svg", "x/win/a.txt", "x/again"); err != nil {
		t.Error(err)
	}
	data := testkit.Must(fs.ReadFile(a, "x/again"))(t)
	if string(data) != "22" {
		t.Errorf("x/again contains %q, want the data of the last entry", data)
	}
	var omitted []string
	for _, e := range a.Entries {
		if e.Path == "" {
			omitted = append(omitted, e.Name)
		}
	}
	if d := cmp.Diff([]string{"../out", "/abs", "x/img", "x/again/below"}, omitted); d != "" {
		t.Errorf("other entries are omitted (-want +got):\n%s", d)
	}
	if len(a.Entries) != 10 {
		t.Errorf("got %d entries, want 10", len(a.Entries))
	}
	if _, err := a.Open("x/none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := zipfs.New(strings.NewReader("junk"), 4, zipfs.Limits{}); err != zipfs.ErrNotZip { // its cause would repeat it
		t.Error(err)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	zeros := strings.Repeat("\x00", 1<<20)
	data := pack(t, "a/plugin.json={}", "a/big="+zeros)
	for _, c := range []struct {
		limits         zipfs.Limits
		refusal, entry string
	}{
		{zipfs.Limits{}, "", ""},
		{zipfs.Limits{Entries: 1}, "it has 2 entries; the limit is 1", ""},
		{zipfs.Limits{TotalBytes: 1 << 20}, "its files unpack to more than 1 MiB", ""},
		{zipfs.Limits{EntryBytes: 1<<20 - 1}, "", "it unpacks to 1 MiB; the limit is 1048575 bytes"},
		{zipfs.Limits{Ratio: 10, RatioFrom: 1000}, "", "the limit is 10 times its compressed size"},
	} {
		a := open(t, data, c.limits)
		if a.Refusal != c.refusal || a.IsBomb != (c.refusal != "") {
			t.Errorf("%+v: got the refusal %q, want %q", c.limits, a.Refusal, c.refusal)
		}
		if c.refusal != "" {
			if entries, err := a.ReadDir("."); err != nil || len(entries) > 0 {
				t.Errorf("%+v: a refused zip has the entries %v (%v)", c.limits, entries, err)
			}
			continue
		}
		if got := a.Entries[1].Refusal; (got == "") != (c.entry == "") || !strings.Contains(got, c.entry) {
			t.Errorf("%+v: got the refusal %q of the entry, want %q", c.limits, got, c.entry)
		}
		if _, err := fs.ReadFile(a, "a/big"); (err == nil) != (c.entry == "") {
			t.Errorf("%+v: ReadFile returned %v", c.limits, err)
		}
		if _, err := fs.ReadFile(a, "a/plugin.json"); err != nil {
			t.Errorf("%+v: one large file must not hide the others: %v", c.limits, err)
		}
	}
}

// stored is pack without compression.
func stored(t testing.TB, entries ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range entries {
		name, data, _ := strings.Cut(e, "=")
		w := testkit.Must(z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store}))(t)
		testkit.Must(io.WriteString(w, data))(t)
	}
	testkit.OK(t, z.Close())
	return b.Bytes()
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"key%d":1,`, i)
	}
	return b.String() + `"z":1`
}

// lieAboutSize declares size bytes for every entry in the central directory.
func lieAboutSize(data []byte, size uint32) []byte {
	data = bytes.Clone(data)
	for at := 0; ; at += 4 {
		next := bytes.Index(data[at:], []byte("PK\x01\x02"))
		if next < 0 {
			return data
		}
		at += next
		binary.LittleEndian.PutUint32(data[at+24:], size)
	}
}

// shareBytes makes every entry refer to the data of the first.
func shareBytes(data []byte) []byte {
	data = bytes.Clone(data)
	first := bytes.Index(data, []byte("PK\x01\x02"))
	packed := data[first+20 : first+28]
	for at := first; at >= 0; {
		copy(data[at+20:], packed)
		binary.LittleEndian.PutUint32(data[at+42:], 0)
		next := bytes.Index(data[at+4:], []byte("PK\x01\x02"))
		if next < 0 {
			break
		}
		at += 4 + next
	}
	return data
}

// hostile returns zips that are meant to exhaust memory or time, or to confuse readers.
func hostile(t testing.TB) map[string]func() []byte {
	many := func(n int, name func(i int) string) []byte {
		names := make([]string, n)
		for i := range names {
			names[i] = name(i)
		}
		return pack(t, names...)
	}
	key := strings.Repeat("k", 400)
	keys := `={"` + key + `":{` + manyKeys(3000) + `}, "info":{` + manyKeys(2000) + `}}`
	svg := `a/plugin.json={"id":"a","name":"A","type":"panel","info":{"logos":{"small":"l.svg","large":"l.svg"}}}`
	return map[string]func() []byte{
		"plugin.json of 30 MiB": func() []byte { return pack(t, "a/plugin.json="+strings.Repeat(" ", 30<<20)) },
		"a logo of 100 MiB":     func() []byte { return stored(t, svg, "a/l.svg=<svg>"+strings.Repeat("<a/><b x='y'/>", 7<<20)+"</svg>") },
		"150 faulty plugins": func() []byte {
			return many(150, func(i int) string { return fmt.Sprintf("p%d/plugin.json%s", i, keys) })
		},
		"200,000 entries": func() []byte { return many(200_000, func(i int) string { return fmt.Sprintf("a/%d/", i) }) },
		"60,000 entries":  func() []byte { return many(60_000, func(i int) string { return fmt.Sprintf("%d", i) }) },
		"20,000 deep entries": func() []byte {
			return many(19_000, func(i int) string { return strings.Repeat("a/", 60) + fmt.Sprint(i) + strings.Repeat("/b", 60) })
		},
		"20,000 plugins": func() []byte { return many(20_000, func(i int) string { return fmt.Sprintf("p%d/plugin.json={}", i) }) },
		"names of 60 KB": func() []byte {
			return many(150, func(i int) string { return fmt.Sprintf("%d%s", i, strings.Repeat("n", 60_000)) })
		},
		"5,000 includes over 90 plugins": func() []byte {
			entries := []string{`a/plugin.json={"id":"a","name":"A","type":"app","includes":[` + strings.Repeat(`{"type":"panel","path":"x/plugin.json"},`, 5000) + `{}]}`}
			for i := range 90 {
				entries = append(entries, fmt.Sprintf(`a/n%d/plugin.json={"id":"n%d","name":"N","type":"datasource"}`, i, i))
			}
			return pack(t, entries...)
		},
		"an entry that declares 4 GiB":      func() []byte { return lieAboutSize(pack(t, "a/plugin.json={}"), 0xFFFFFFFE) },
		"an entry that declares too little": func() []byte { return lieAboutSize(pack(t, "a/plugin.json="+strings.Repeat(" ", 1<<20)), 3) },
		"overlapping entries": func() []byte {
			return shareBytes(many(1000, func(i int) string { return fmt.Sprintf("a/%04d=%s", i, strings.Repeat("x", 1<<14)) }))
		},
		"a wrong count": func() []byte {
			return append(pack(t, "a/plugin.json={}")[:len(pack(t, "a/plugin.json={}"))-12], 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0)
		},
		"a truncated zip":   func() []byte { return pack(t, "a/plugin.json={}")[:60] },
		"two zips in a row": func() []byte { return append(pack(t, "a/plugin.json={}"), pack(t, "b/plugin.json={}")...) },
	}
}

// TestHostileZips validates hostile zips with all rules.
func TestHostileZips(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: this packs several hundred MB")
	}
	const most = 256 << 20
	all := rules.All()
	for name, write := range hostile(t) {
		data := write()
		runtime.GC()
		peak, stop := watchMemory()
		a, err := zipfs.New(bytes.NewReader(data), int64(len(data)), zipfs.Limits{})
		said := fmt.Sprint(err)
		if err == nil {
			r, err := validate.Run(t.Context(), a, validate.Options{Rules: all})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			said = fmt.Sprintf("exit %d, %d findings, %d skips", r.ExitCode(), len(r.Findings), len(r.Skips))
			if r.ExitCode() == validate.ExitClean {
				t.Errorf("%s: the run reports no errors", name)
			}
		}
		stop()
		if *peak > most {
			t.Errorf("%s: the run took %d MiB", name, *peak>>20)
		}
		t.Logf("%-28s %7d KiB zip, %4d MiB memory: %s", name, len(data)>>10, *peak>>20, said)
	}
}

// watchMemory measures how far the heap grows until stop is called.
func watchMemory() (peak *uint64, stop func()) {
	peak = new(uint64)
	done, ended := make(chan struct{}), make(chan struct{})
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	look := func() {
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		if now.HeapInuse > before.HeapInuse {
			*peak = max(*peak, now.HeapInuse-before.HeapInuse)
		}
	}
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			default:
				look()
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	return peak, func() { close(done); <-ended; look() }
}

// FuzzArchive opens any bytes as a zip and reads everything in it.
func FuzzArchive(f *testing.F) {
	small := pack(f, "x/", "x/plugin.json={}", `x\a=b`, "../y=z", "x/plugin.json=[]")
	f.Add(small)
	f.Add(lieAboutSize(small, 1<<30))
	f.Add(shareBytes(small))
	f.Add(small[:len(small)-9])
	limits := zipfs.Limits{Entries: 100, Directory: 64 << 10, EntryBytes: 1 << 20, TotalBytes: 4 << 20}
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := zipfs.New(bytes.NewReader(data), int64(len(data)), limits)
		if err != nil {
			if !errors.Is(err, zipfs.ErrNotZip) {
				t.Fatal(err)
			}
			return
		}
		read := int64(0)
		err = fs.WalkDir(a, ".", func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			if !fs.ValidPath(name) {
				t.Errorf("invalid name %q", name)
			}
			f, err := a.Open(name)
			if err != nil {
				return nil //nolint:nilerr // a refused entry
			}
			defer f.Close()
			n, _ := io.Copy(io.Discard, f)
			info, err := f.Stat()
			if err != nil {
				return err
			}
			if n > info.Size() {
				t.Errorf("%q has %d bytes, more than the declared %d", name, n, info.Size())
			}
			read += n
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		if read > limits.TotalBytes {
			t.Errorf("read %d bytes, more than the limit %d", read, limits.TotalBytes)
		}
		all := rules.All()
		if _, err := validate.Run(t.Context(), a, validate.Options{Rules: all}); err != nil {
			t.Error(err)
		}
	})
}

// TestEncrypted refuses a zip with an encrypted entry.
func TestEncrypted(t *testing.T) {
	t.Parallel()
	data := pack(t, "acme-panel/plugin.json={}")
	for _, header := range []struct {
		magic string
		flags int // offset
	}{{"PK\x03\x04", 6}, {"PK\x01\x02", 8}} {
		data[bytes.Index(data, []byte(header.magic))+header.flags] |= 1
	}
	if got := open(t, data, zipfs.Limits{}).Refusal; got != `its entry "acme-panel/plugin.json" is encrypted` {
		t.Errorf("refusal %q", got)
	}
}

// TestHiddenBytes refuses zips whose bytes are not those of the listed entries: programs that read a
// zip from its start would unpack them.
func TestHiddenBytes(t *testing.T) {
	t.Parallel()
	list := []byte("PK\x01\x02")
	whole, other := pack(t, "a/plugin.json={}", "a/module.js=1"), pack(t, "a/hidden.js=evil")
	other = other[:bytes.Index(other, list)]
	renamed := bytes.Replace(whole, []byte("a/module.js"), []byte("a/hidden.js"), 1)
	at := bytes.Index(whole, list)
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"nothing hidden":             {whole, ""},
		"no entries":                 {pack(t), ""},
		"an entry before the others": {slices.Concat(other, whole), `its bytes before the entry "a/plugin.json" are not listed`},
		"an entry after the others":  {moveList(slices.Concat(whole[:at], other, whole[at:]), len(other)), "its bytes after the last entry are not listed"},
		"bytes after the last entry": {moveList(slices.Concat(whole[:at], list, other, whole[at:]), len(list)+len(other)), "its bytes after the last entry are not listed"},
		"bytes after the end":        {slices.Concat(whole, other), fmt.Sprintf("it has %d bytes after its end", len(other))},
		"another name":               {renamed, `its bytes before the entry "a/module.js" are not listed`},
	} {
		if got := open(t, c.data, zipfs.Limits{}); got.Refusal != c.want || got.IsBomb {
			t.Errorf("%s: got the refusal %q, want %q", name, got.Refusal, c.want)
		}
	}
}

// moveList makes the end of a zip find the list of entries a number of bytes later.
func moveList(data []byte, by int) []byte {
	offset := data[len(data)-6:]
	binary.LittleEndian.PutUint32(offset, binary.LittleEndian.Uint32(offset)+uint32(by))
	return data
}
