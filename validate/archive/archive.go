package archive

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// Limits is what a zip may ask of its reader. The zero value of a field is that of
// Default.
type Limits struct {
	Entries    int   // files and folders
	Directory  int64 // bytes of the list of entries at the end of the file
	EntryBytes int64 // of one file, unpacked
	TotalBytes int64 // of all files, unpacked
	Ratio      int64 // of unpacked to packed bytes, for files above RatioFrom
	RatioFrom  int64
}

// Default returns limits that plugins of thirty executables stay far below.
func Default() Limits {
	return Limits{
		Entries: 20_000, Directory: 8 << 20, EntryBytes: 512 << 20, TotalBytes: 2 << 30,
		Ratio: 200, RatioFrom: 8 << 20,
	}
}

// Archive is a zip. As an fs.FS it shows the entries under their clean names: a
// backslash separates folders as a slash does, the last of several entries of one
// name counts, and a name that leads out of the zip is left out.
type Archive struct {
	Entries []Entry // as they are written, in their order

	// Refusal says why no entry is read, "" if entries are. Then the tree is empty.
	Refusal string

	root   *node
	nodes  int // in the tree
	closer io.Closer
}

// Entry is one entry of a zip as it is written.
type Entry struct {
	Name         string // as written: it may lead anywhere
	Path         string // where it is in the tree, "" if it is left out
	Mode         fs.FileMode
	Packed, Size int64  // bytes as the zip declares them; reading stops beyond Size
	Refusal      string // why it is not read, "" if it is

	file *zip.File
}

// ErrNotZip is the error for what cannot be read as a zip.
var ErrNotZip = errors.New("this is no zip, or a damaged one")

// Open reads the list of entries of a zip on disk. Close it.
func Open(name string, limits Limits) (*Archive, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	a, err := New(f, info.Size(), limits)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	a.closer = f
	return a, nil
}

// New reads the list of entries of a zip of the given size.
func New(r io.ReaderAt, size int64, limits Limits) (*Archive, error) {
	limits = limits.orDefault()
	// The end of a zip can be 64 KiB long, and is read in two steps.
	capped := &cappedReader{r: r, left: limits.Directory + 256<<10}
	z, err := zip.NewReader(capped, size)
	a := &Archive{root: newFolder(".")}
	switch {
	case capped.isSpent:
		a.Refusal = fmt.Sprintf("the list of its entries has more than %s", megabytes(limits.Directory))
		return a, nil
	case err != nil && !errors.Is(err, zip.ErrInsecurePath):
		return nil, fmt.Errorf("%w: %w", ErrNotZip, err)
	case len(z.File) > limits.Entries:
		a.Refusal = fmt.Sprintf("it has %d entries, more than %d", len(z.File), limits.Entries)
		return a, nil
	}
	capped.left = -1                          // from here on each entry has its own limit
	a.Entries = make([]Entry, 0, len(z.File)) // nodes point into it
	for _, f := range z.File {
		a.add(f, limits)
	}
	if a.Refusal = a.refusal(size, limits); a.Refusal != "" {
		a.root = newFolder(".")
	}
	return a, nil
}

// Close closes the file that the zip was opened from, if there is one.
func (a *Archive) Close() error {
	if a.closer == nil {
		return nil
	}
	return a.closer.Close()
}

// add takes an entry over into the tree, if its name has a place there.
func (a *Archive) add(f *zip.File, limits Limits) {
	e := Entry{Name: f.Name, Mode: f.Mode(), Packed: clamp(f.CompressedSize64), Size: clamp(f.UncompressedSize64), file: f}
	name := strings.TrimSuffix(strings.ReplaceAll(f.Name, `\`, "/"), "/")
	isFolder := e.Mode.IsDir() || strings.HasSuffix(f.Name, "/") || strings.HasSuffix(f.Name, `\`)
	switch {
	case isFolder:
		e.Mode = e.Mode&fs.ModePerm | fs.ModeDir
	case e.Size > limits.EntryBytes:
		e.Refusal = fmt.Sprintf("it unpacks to %s, more than %s", megabytes(e.Size), megabytes(limits.EntryBytes))
	case e.Size > limits.RatioFrom && e.Size/limits.Ratio > e.Packed:
		e.Refusal = fmt.Sprintf("it unpacks %s from %d bytes, more than %d times as many", megabytes(e.Size), e.Packed, limits.Ratio)
	}
	a.Entries = append(a.Entries, e)
	last := &a.Entries[len(a.Entries)-1]
	if isClean(name) && name != "." && a.nodes < limits.Entries*maxNodes {
		if a.nodes += strings.Count(name, "/") + 1; a.root.add(name, last) {
			last.Path = name
		}
	}
}

// isClean says whether a name has a place in the tree on every system.
func isClean(name string) bool {
	return fs.ValidPath(name) && !strings.ContainsRune(name, 0) && len(name) <= maxName &&
		strings.Count(name, "/") < maxDepth && (len(name) < 2 || name[1] != ':') // a drive of Windows
}

// Names that are longer, or deeper, have no place in the tree.
const (
	maxName  = 4096
	maxDepth = 100
)

// maxNodes is how many parts the names of entries may have, on average.
const maxNodes = 12

func (l Limits) orDefault() Limits {
	d := Default()
	for _, f := range []struct{ field, value *int64 }{
		{&l.Directory, &d.Directory}, {&l.EntryBytes, &d.EntryBytes}, {&l.TotalBytes, &d.TotalBytes},
		{&l.Ratio, &d.Ratio}, {&l.RatioFrom, &d.RatioFrom},
	} {
		if *f.field <= 0 {
			*f.field = *f.value
		}
	}
	if l.Entries <= 0 {
		l.Entries = d.Entries
	}
	return l
}

func clamp(n uint64) int64 { return int64(min(n, 1<<62)) }

func megabytes(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}

// cappedReader ends after a number of bytes; left below 0 is no limit.
type cappedReader struct {
	r       io.ReaderAt
	left    int64
	isSpent bool
}

var errSpent = errors.New("too many bytes to read")

// ReadAt reads while bytes are left.
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
