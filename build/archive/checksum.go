package archive

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
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
// those that match and of those that do not. A missing one is in neither list.
func CheckSums(zip string) (match, differ []string, err error) {
	f, err := os.Open(zip)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	sums, err := checksumsOf(zip, f)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range []struct{ suffix, want string }{{sha256Suffix, sums.sha256}, {sha1Suffix, sums.sha1}} {
		file := filepath.Base(zip) + c.suffix
		text, err := readOptional(os.DirFS(filepath.Dir(zip)), file, 4<<10)
		if err != nil {
			return match, differ, err
		}
		got := strings.Fields(string(text))
		switch {
		case text == nil:
		case len(got) > 0 && got[0] == strings.Fields(c.want)[0]:
			match = append(match, file)
		default:
			differ = append(differ, file)
		}
	}
	return match, differ, nil
}
