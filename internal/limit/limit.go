// Package limit reads input whose size or kind is not under the caller's control.
package limit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// TooLargeError reports more bytes than may be read.
type TooLargeError struct {
	Limit int64 // bytes
}

// Error returns the limit in KiB, or in MiB if it has some.
func (e *TooLargeError) Error() string {
	if e.Limit >= 1<<20 {
		return fmt.Sprintf("larger than %d MiB", e.Limit>>20)
	}
	return fmt.Sprintf("larger than %d KiB", e.Limit>>10)
}

// ReadAll reads all of r. If r has more than limit bytes, the error is a
// *TooLargeError. If r is a file, memory is allocated once, according to its size.
func ReadAll(r io.Reader, limit int64) ([]byte, error) {
	var b bytes.Buffer
	if f, ok := r.(fs.File); ok {
		if info, err := f.Stat(); err == nil {
			b.Grow(int(min(max(info.Size(), 0), limit)) + bytes.MinRead)
		}
	}
	_, err := b.ReadFrom(io.LimitReader(r, limit+1))
	if int64(b.Len()) > limit {
		return nil, &TooLargeError{limit}
	}
	return b.Bytes(), err
}

// OpenRegular opens a regular file for reading with os.OpenFile or the method of an os.Root.
// It refuses other files, and does not wait for the other end of a named pipe.
func OpenRegular(open func(string, int, os.FileMode) (*os.File, error), name string) (*os.File, error) {
	f, err := open(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", name)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// maxSettings is more than any file of settings has.
const maxSettings = 64 << 20

// ReadSettings reads a package.json, a lockfile and the like without a byte order mark, as their own tools do.
func ReadSettings(name string) ([]byte, error) {
	text, err := ReadFile(name, maxSettings)
	return bytes.TrimPrefix(text, []byte("\uFEFF")), err
}

// ReadFile reads a regular file of at most limit bytes. It refuses others, such as named pipes, which might never end.
func ReadFile(name string, limit int64) ([]byte, error) {
	f, err := OpenRegular(os.OpenFile, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := ReadAll(f, limit)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return text, nil
}
