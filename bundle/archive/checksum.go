package archive

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/internal/atomicfile"
	"github.com/slipway-dev/slipway/internal/limit"
)

// The checksums of a zip are in files next to it.
const (
	sha256Suffix = ".sha256" // as sha256sum -c reads it
	sha1Suffix   = ".sha1"   // bare, as Grafana's catalog asks for it
)

type summer struct {
	short, long hash.Hash
	size        int64 // bytes
}

func newSummer() *summer { return &summer{short: sha1.New(), long: sha256.New()} }

// Write never fails.
func (s *summer) Write(data []byte) (int, error) {
	_, _ = s.short.Write(data)
	_, _ = s.long.Write(data)
	s.size += int64(len(data))
	return len(data), nil
}

// texts returns the content of the checksum files of a zip, by suffix.
func (s *summer) texts(zip string) map[string]string {
	return map[string]string{
		sha256Suffix: hex.EncodeToString(s.long.Sum(nil)) + "  " + filepath.Base(zip) + "\n",
		sha1Suffix:   hex.EncodeToString(s.short.Sum(nil)) + "\n",
	}
}

// writeSummed writes a zip and then its checksums, and returns its size.
func writeSummed(zip string, content func(io.Writer) error) (size int64, err error) {
	s := newSummer()
	err = atomicfile.Write(zip, 0o644, func(w io.Writer) error { return content(io.MultiWriter(w, s)) })
	for suffix, text := range s.texts(zip) {
		if err == nil {
			err = writeFile(zip+suffix, []byte(text))
		}
	}
	return s.size, err
}

// writeFile writes a file completely or not at all.
func writeFile(name string, data []byte) error {
	return atomicfile.Write(name, 0o644, atomicfile.Bytes(data))
}

// CheckSums compares a zip with the checksum files next to it and returns the names of
// those that match and of those that do not. A missing one is in neither list.
func CheckSums(zip string) (match, differ []string, err error) {
	f, err := limit.OpenRegular(os.OpenFile, zip)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	s := newSummer()
	if _, err := io.Copy(s, f); err != nil {
		return nil, nil, err
	}
	want := s.texts(zip)
	for _, suffix := range []string{sha256Suffix, sha1Suffix} {
		file := filepath.Base(zip) + suffix
		text, err := ReadFile(os.DirFS(filepath.Dir(zip)), file, 4<<10)
		got := strings.Fields(string(text))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return match, differ, err
		case len(got) > 0 && got[0] == strings.Fields(want[suffix])[0]:
			match = append(match, file)
		default:
			differ = append(differ, file)
		}
	}
	return match, differ, nil
}
