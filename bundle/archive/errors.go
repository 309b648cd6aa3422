package archive

import (
	"errors"
	"fmt"
	"strings"
)

// The reasons why a plugin is not what its manifest describes or its signature
// covers.
var (
	ErrUnsigned     = errors.New("the plugin is not signed")
	ErrUnknownKey   = errors.New("signed with a key that is not trusted")
	ErrBadSignature = errors.New("the signature does not match the manifest")
	ErrOtherPlugin  = errors.New("the manifest belongs to another plugin or version")

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

// FileErrors are the errors about the files of a plugin, sorted by path.
type FileErrors []*FileError

func byErrorPath(a, b *FileError) int { return strings.Compare(a.Path, b.Path) }

// Error returns the first error and the number of the others.
func (e FileErrors) Error() string {
	if len(e) == 1 {
		return e[0].Error()
	}
	return fmt.Sprintf("%v (and %d more)", e[0], len(e)-1)
}

// Unwrap returns each error.
func (e FileErrors) Unwrap() []error {
	list := make([]error, len(e))
	for i, err := range e {
		list[i] = err
	}
	return list
}

// UnknownKeyError is the error for a signature by a key that is not trusted.
type UnknownKeyError struct {
	KeyID string // as PublicKey.ID returns it
}

// Error returns the key's id with the text of ErrUnknownKey.
func (e *UnknownKeyError) Error() string { return ErrUnknownKey.Error() + ": " + e.KeyID }

// Unwrap returns ErrUnknownKey.
func (e *UnknownKeyError) Unwrap() error { return ErrUnknownKey }
