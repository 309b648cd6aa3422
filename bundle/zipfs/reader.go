package zipfs

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// maxPacked limits the size of a zip that FromReader copies.
const maxPacked = 1 << 30

// FromReader copies a zip to a temporary file, which Close removes, and reads its list of entries.
func FromReader(r io.Reader, limits Limits) (*Archive, error) {
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
	a, err := New(f, n, limits)
	if err != nil {
		return nil, errors.Join(err, temp.Close())
	}
	a.closer = temp
	return a, nil
}

// temporary is a file that is removed when it is closed.
type temporary struct{ *os.File }

// Close closes and removes the file.
func (t temporary) Close() error { return errors.Join(t.File.Close(), os.Remove(t.Name())) }
