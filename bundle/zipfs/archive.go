package zipfs

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/slipway-dev/slipway/internal/limit"
)

// Limits bounds what a reader spends on a zip. A zero field means the default.
type Limits struct {
	Entries    int   // files and directories
	Directory  int64 // bytes of the central directory
	EntryBytes int64 // of one file, unpacked
	TotalBytes int64 // of all files, unpacked
	Ratio      int64 // of unpacked to packed bytes, for files above RatioFrom
	RatioFrom  int64
}

// Archive is a zip. As an fs.FS it shows the entries by their cleaned names: a backslash
// is a separator like a slash, the last of several entries with the same name wins, and
// names that lead out of the zip are omitted.
type Archive struct {
	Entries []Entry // as the zip declares them, in its order

	// Refusal is why no entry is read, or "". If it is set, the tree is empty. IsBomb tells what is too large, or lists
	// bytes more than once, from what programs unpack differently or not at all.
	Refusal string
	IsBomb  bool

	root   *node
	nodes  int // in the tree
	closer io.Closer
}

// Entry is an entry as the zip declares it.
type Entry struct {
	Name         string // as declared: it may lead anywhere
	Path         string // in the tree; "" if it is omitted
	Mode         fs.FileMode
	Packed, Size int64  // bytes as declared; reading stops at Size
	Refusal      string // why it is not read, or ""

	file *zip.File
}

// ErrNotZip is the error for a file that is not a valid zip.
var ErrNotZip = errors.New("not a valid zip file")

// Open reads the list of entries of a zip file. The caller must close the Archive.
func Open(name string) (*Archive, error) {
	f, err := limit.OpenRegular(os.OpenFile, name)
	if err != nil {
		return nil, err
	}
	return FromFile(f)
}

// FromFile reads the list of entries of an open zip file, which the Archive closes.
func FromFile(f *os.File) (*Archive, error) { return fromFile(f, f) }

func fromFile(f *os.File, closer io.Closer) (a *Archive, err error) {
	info, err := f.Stat()
	if err == nil {
		a, err = New(f, info.Size(), Limits{})
	}
	if err != nil {
		return nil, errors.Join(err, closer.Close())
	}
	a.closer = closer
	return a, nil
}

// New reads the list of entries of a zip of the given size.
func New(r io.ReaderAt, size int64, limits Limits) (*Archive, error) {
	limits = limits.orDefault()
	// The end of a zip has up to 64 KiB and is read twice.
	capped := &cappedReader{r: r, left: limits.Directory + 256<<10}
	z, err := zip.NewReader(capped, size)
	a := &Archive{root: newDirectory(".")}
	switch {
	case capped.isSpent:
		a.Refusal, a.IsBomb = fmt.Sprintf("its list of entries is larger than %s", megabytes(limits.Directory)), true
		return a, nil
	case errors.Is(err, zip.ErrFormat):
		return nil, ErrNotZip
	case err != nil && !errors.Is(err, zip.ErrInsecurePath):
		return nil, fmt.Errorf("%w: %w", ErrNotZip, err)
	case len(z.File) > limits.Entries:
		a.Refusal, a.IsBomb = fmt.Sprintf("it has %d entries; the limit is %d", len(z.File), limits.Entries), true
		return a, nil
	}
	capped.left = -1                          // from here on each entry is limited
	a.Entries = make([]Entry, 0, len(z.File)) // nodes have pointers to its elements
	for _, f := range z.File {
		const encrypted = 1 // bit of the flags, see APPNOTE.TXT 4.4.4
		if f.Flags&encrypted != 0 && a.Refusal == "" {
			a.Refusal = fmt.Sprintf("its entry %.200q is encrypted", f.Name)
		}
		if f.Method != zip.Store && f.Method != zip.Deflate && a.Refusal == "" {
			a.Refusal = fmt.Sprintf("its entry %.200q is compressed with method %d, which hosts cannot unpack: use deflate", f.Name, f.Method)
		}
		a.add(f, limits)
	}
	if bomb := a.bomb(limits); bomb != "" {
		a.Refusal, a.IsBomb = bomb, true
	}
	if a.Refusal == "" {
		a.Refusal = a.hidden(r, size)
	}
	if a.Refusal != "" {
		a.root = newDirectory(".")
	}
	return a, nil
}

// Close closes the file if Open opened it.
func (a *Archive) Close() error {
	if a.closer == nil {
		return nil
	}
	return a.closer.Close()
}

// add adds an entry, to the tree as well if its name is valid there.
func (a *Archive) add(f *zip.File, limits Limits) {
	e := Entry{Name: f.Name, Mode: f.Mode(), Packed: clamp(f.CompressedSize64), Size: clamp(f.UncompressedSize64), file: f}
	name := strings.TrimSuffix(strings.ReplaceAll(f.Name, `\`, "/"), "/")
	isDirectory := e.Mode.IsDir() || strings.HasSuffix(f.Name, "/") || strings.HasSuffix(f.Name, `\`)
	switch {
	case isDirectory:
		e.Mode = e.Mode&fs.ModePerm | fs.ModeDir
	case e.Size > limits.EntryBytes:
		e.Refusal = fmt.Sprintf("it unpacks to %s; the limit is %s", megabytes(e.Size), megabytes(limits.EntryBytes))
	case e.Size > limits.RatioFrom && e.Size/limits.Ratio > e.Packed:
		e.Refusal = fmt.Sprintf("it unpacks from %[2]d bytes to %[1]s; the limit is %[3]d times its compressed size", megabytes(e.Size),
			e.Packed, limits.Ratio)
	}
	a.Entries = append(a.Entries, e)
	last := &a.Entries[len(a.Entries)-1]
	if isClean(name) && name != "." && a.nodes < limits.Entries*maxNodes {
		if a.nodes += strings.Count(name, "/") + 1; a.root.add(name, last) {
			last.Path = name
		}
	}
}

// isClean reports whether a name is valid in the tree on every system.
func isClean(name string) bool {
	return fs.ValidPath(name) && !strings.ContainsRune(name, 0) && len(name) <= maxName &&
		strings.Count(name, "/") < maxDepth && (len(name) < 2 || name[1] != ':') // a Windows drive
}

// Longer or deeper names are omitted from the tree.
const (
	maxName  = 4096
	maxDepth = 100
)

// maxNodes limits the average number of elements in the names of entries.
const maxNodes = 12

// orDefault returns limits far above what a plugin of thirty executables needs where none are set.
func (l Limits) orDefault() Limits {
	return Limits{
		Entries: cmp.Or(l.Entries, 20_000), Directory: cmp.Or(l.Directory, 8<<20),
		EntryBytes: cmp.Or(l.EntryBytes, 512<<20), TotalBytes: cmp.Or(l.TotalBytes, 2<<30),
		Ratio: cmp.Or(l.Ratio, 200), RatioFrom: cmp.Or(l.RatioFrom, 8<<20),
	}
}

func clamp(n uint64) int64 { return int64(min(n, 1<<62)) }

func megabytes(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}

// cappedReader fails after a number of bytes. There is no limit if left is negative.
type cappedReader struct {
	r       io.ReaderAt
	left    int64
	isSpent bool
}

var errSpent = errors.New("read limit exceeded")

// ReadAt reads up to the limit.
func (c *cappedReader) ReadAt(b []byte, at int64) (int, error) {
	if c.left < 0 && !c.isSpent {
		return c.r.ReadAt(b, at)
	}
	if c.left -= int64(len(b)); c.left < 0 {
		c.left, c.isSpent = 0, true
		return 0, errSpent
	}
	return c.r.ReadAt(b, at)
}

// maxPacked limits the size of a zip that FromReader copies.
const maxPacked = 1 << 30

// FromReader copies a zip to a temporary file, which Close removes, and reads its list of entries.
func FromReader(r io.Reader) (*Archive, error) {
	f, err := os.CreateTemp("", "slipway-*.zip")
	if err != nil {
		return nil, err
	}
	temp := temporary{f}
	n, err := io.Copy(f, io.LimitReader(r, maxPacked+1))
	if err == nil && n > maxPacked {
		err = fmt.Errorf("the zip is larger than %s", megabytes(maxPacked))
	}
	if err != nil {
		return nil, errors.Join(err, temp.Close())
	}
	return fromFile(f, temp)
}

// temporary is a file that is removed when it is closed.
type temporary struct{ *os.File }

// Close closes and removes the file.
func (t temporary) Close() error { return errors.Join(t.File.Close(), os.Remove(t.Name())) }
