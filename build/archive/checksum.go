package archive

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// The checksums of a zip are in files next to it.
const (
	sha256Suffix = ".sha256" // as sha256sum -c reads it
	sha1Suffix   = ".sha1"   // bare, as Grafana's catalog asks for it
)

// ErrChecksum is the error for a zip that differs from one of its checksum files.
var ErrChecksum = errors.New("the zip does not match its checksum")

// checksums are the content of the checksum files of a zip.
type checksums struct{ sha256, sha1 string }

func checksumsOf(name string, r io.Reader) (checksums, error) {
	short, long := sha1.New(), sha256.New()
	if _, err := io.Copy(io.MultiWriter(short, long), r); err != nil {
		return checksums{}, err
	}
	return checksums{
		sha256: hex.EncodeToString(long.Sum(nil)) + "  " + filepath.Base(name) + "\n",
		sha1:   hex.EncodeToString(short.Sum(nil)) + "\n",
	}, nil
}

// writeSummed writes a file and then its checksums.
func writeSummed(file string, content func(*os.File) error) error {
	var sums checksums
	err := writeWith(file, func(f *os.File) error {
		if err := content(f); err != nil {
			return err
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		var err error
		sums, err = checksumsOf(file, f)
		return err
	})
	if err != nil {
		return err
	}
	return errors.Join(
		writeFile(file+sha256Suffix, []byte(sums.sha256)),
		writeFile(file+sha1Suffix, []byte(sums.sha1)),
	)
}

// CheckSums compares a zip with the checksum files next to it and returns the names of
// those files. A missing one is not an error. The error matches ErrChecksum if one
// differs.
func CheckSums(zip string) (found []string, err error) {
	f, err := os.Open(zip)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sums, err := checksumsOf(zip, f)
	if err != nil {
		return nil, err
	}
	for _, c := range []struct{ suffix, want string }{{sha256Suffix, sums.sha256}, {sha1Suffix, sums.sha1}} {
		file := filepath.Base(zip) + c.suffix
		text, err := readOptional(os.DirFS(filepath.Dir(zip)), file, 4<<10)
		if err != nil {
			return found, err
		}
		if text == nil {
			continue
		}
		found = append(found, file)
		if got := strings.Fields(string(text)); len(got) == 0 || got[0] != strings.Fields(c.want)[0] {
			return found, fmt.Errorf("%w in %s", ErrChecksum, file)
		}
	}
	return found, nil
}
