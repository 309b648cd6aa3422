package store

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"sync/atomic"
)

// databaseFile is the file of a SQLite database. SQLite goes on writing to a file that was
// deleted, and to one that was overwritten; check notices both without a statement.
//
// The file stays open until the database is closed: closing it earlier would release the
// locks of SQLite, which belong to the process.
type databaseFile struct {
	path   string
	file   *os.File
	opened os.FileInfo
	id     uint32 // the application id
	first  uint32 // the application id in the file when it was opened; id can still be in the log
	isLost atomic.Bool
}

var errNoDatabase = errors.New("file is not a database")

// header returns the application id in the file.
func (f *databaseFile) header() (id uint32, err error) {
	const magic = "SQLite format 3\x00"
	var header [72]byte // see "The Database Header" in the description of the file format
	if _, err := f.file.ReadAt(header[:], 0); err != nil {
		return 0, err
	}
	if string(header[:len(magic)]) != magic {
		return 0, errNoDatabase
	}
	return binary.BigEndian.Uint32(header[68:]), nil
}

// remember sets the state that check compares with.
func (f *databaseFile) remember() (err error) {
	if f.opened, err = f.file.Stat(); err != nil {
		return err
	}
	f.first, err = f.header()
	return err
}

// check returns an error if the file was deleted, replaced or overwritten. It costs two
// system calls. An overwritten file stays lost, even if a backup is then copied into it: the
// log and the caches belong to the previous content.
func (f *databaseFile) check() error {
	if f == nil || f.opened == nil { // PostgreSQL, or still being opened
		return nil
	}
	found, err := os.Stat(f.path)
	if err != nil {
		return errReplaced("the file is gone", err)
	}
	if !os.SameFile(found, f.opened) {
		return errReplaced("another file has its name", nil)
	}
	id, err := f.header()
	if errors.Is(err, os.ErrClosed) { // after Close
		return err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, errNoDatabase) {
		f.isLost.Store(true)
	}
	if err != nil { // such as a disk that does not respond for a while
		return errReplaced("the file is empty or unreadable", err)
	}
	if id != f.id && id != f.first {
		f.isLost.Store(true)
	}
	if f.isLost.Load() {
		return errReplaced("the file was overwritten", nil)
	}
	return nil
}
