package archive

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle/signature"
)

// How a file differs from the list of the files of a plugin.
var (
	ErrChanged    = errors.New("changed after the manifest was written")
	ErrNewlines   = fmt.Errorf("%w, but only in its line endings, as Git and editors change them", ErrChanged)
	ErrMissing    = errors.New("listed in the manifest, but missing")
	ErrBackslash  = fmt.Errorf("%w: hosts look for a file with a backslash in its name; sign the plugin again, not on Windows", ErrMissing)
	ErrUndeclared = errors.New("not listed in the manifest")
	ErrIrregular  = errors.New("not a regular file")
	ErrLink       = errors.New("a symbolic link that does not lead to a file of the plugin")
)

// FileError is an error about one file of a plugin. Err is one of ErrChanged, ErrNewlines, ErrMissing, ErrBackslash,
// ErrUndeclared, ErrIrregular and ErrLink, or an error of reading the file.
type FileError struct {
	Path string // separated by slashes, relative to the directory of the plugin
	Err  error
}

// Error returns "path: error".
func (e *FileError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *FileError) Unwrap() error { return e.Err }

// Compare returns the files of the plugin in a directory that differ from those that were signed, sorted by path. fsys must
// not lead out of the plugin: use Open, the FS of an os.Root, or a zip.
func Compare(fsys fs.FS, dir string, signed *signature.Manifest) ([]*FileError, error) {
	names, differences, err := filesOf(fsys, dir)
	if err != nil {
		return nil, err
	}
	for name, sum := range signed.Files {
		err := missing(name)
		if _, found := slices.BinarySearch(names, name); found {
			err = compareFile(fsys, path.Join(dir, name), sum)
		}
		if err != nil {
			differences = append(differences, &FileError{Path: name, Err: err})
		}
	}
	for _, name := range names {
		if _, isListed := signed.Files[name]; !isListed && name != signature.File {
			differences = append(differences, &FileError{Path: name, Err: ErrUndeclared})
		}
	}
	slices.SortStableFunc(differences, byPath)
	// A listed file that is irregular is not missing as well.
	return slices.CompactFunc(differences, func(a, b *FileError) bool { return a.Path == b.Path }), nil
}

func byPath(a, b *FileError) int { return strings.Compare(a.Path, b.Path) }

func missing(name string) error {
	if strings.Contains(name, `\`) {
		return ErrBackslash
	}
	return ErrMissing
}

// compareFile returns an error unless the SHA-256 of a file is sum, in hexadecimal.
func compareFile(fsys fs.FS, name, sum string) error {
	f, err := openRegular(fsys, name)
	if err != nil {
		return err
	}
	defer f.Close()
	const maxBytes = 2 << 30
	got, err := sumOf(io.LimitReader(f, maxBytes))
	if err != nil || got == sum {
		return err
	}
	const maxText = 4 << 20
	if text, err := ReadFile(fsys, name, maxText); err == nil && HasSum(text, sum) {
		return ErrNewlines
	}
	return ErrChanged
}

// HasSum reports whether a text has a SHA-256 sum, in hexadecimal, with LF or with CRLF.
func HasSum(text []byte, sum string) bool {
	unix := bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	windows := bytes.ReplaceAll(unix, []byte("\n"), []byte("\r\n"))
	return slices.ContainsFunc([][]byte{unix, windows}, func(text []byte) bool { return fmt.Sprintf("%x", sha256.Sum256(text)) == sum })
}
