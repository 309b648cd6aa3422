package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/internal/limit"
)

// filesOf returns the sorted names of the files of the plugin in a directory, and an error for each entry that is not a
// directory, a regular file or a link to one.
func filesOf(fsys fs.FS, dir string) (names []string, irregular []*FileError, err error) {
	err = fs.WalkDir(fsys, dir, func(full string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name := tree.Below(dir, full)
		if d.Type()&fs.ModeSymlink != 0 {
			if info, err := fs.Stat(fsys, full); err != nil || !info.Mode().IsRegular() {
				irregular = append(irregular, &FileError{Path: name, Err: ErrLink})
				return nil
			}
		} else if !d.Type().IsRegular() {
			irregular = append(irregular, &FileError{Path: name, Err: ErrIrregular})
			return nil
		}
		names = append(names, name)
		return nil
	})
	slices.Sort(names)
	return names, irregular, err
}

// notOnWindows matches the paths of files that Windows cannot create: device names, with or
// without an extension, reserved characters, and dots and spaces at the end of a name.
var notOnWindows = regexp.MustCompile(`(?i)(^|/)(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[1-9¹²³]) *([./]|$)|[*?"<>|]|[. ](/|$)`)

// checkNames reports the first name that some system cannot unpack, or unpacks to
// the same file as another one.
func checkNames(names []string) error {
	files := map[string]string{} // by folded name
	for _, name := range names {
		if notOnWindows.MatchString(name) {
			return fmt.Errorf("%q is not a path that Windows accepts; rename the file or its directory", name)
		}
		if !fs.ValidPath(name) || name == "." || strings.ContainsAny(name, `\:`) || strings.ContainsFunc(name, unicode.IsControl) {
			return fmt.Errorf("%q is not a file name that every system accepts", name)
		}
		if other, taken := files[fold(name)]; taken {
			return fmt.Errorf("%q and %q are the same file where case does not matter", other, name)
		}
		files[fold(name)] = name
	}
	for _, name := range names {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if file, taken := files[fold(dir)]; taken {
				return fmt.Errorf("%q cannot be a file and the directory of %q", file, name)
			}
		}
	}
	return nil
}

// fold returns the same string for names that differ only in case.
func fold(name string) string { return strings.ToLower(strings.ToUpper(name)) }

// openRegular opens a regular file. Opening a pipe would wait for its writer.
func openRegular(dist fs.FS, name string) (fs.File, error) {
	info, err := fs.Stat(dist, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: ErrIrregular}
	}
	return dist.Open(name)
}

// ReadFile reads a file of at most maxBytes bytes.
func ReadFile(dist fs.FS, name string, maxBytes int64) ([]byte, error) {
	f, err := openRegular(dist, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := limit.ReadAll(f, maxBytes)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return data, nil
}

// ReadMetadata reads a plugin.json.
func ReadMetadata(dist fs.FS, name string) (*bundle.Metadata, error) {
	const maxBytes = 1 << 20
	data, err := ReadFile(dist, name, maxBytes)
	if err != nil {
		return nil, err
	}
	m, err := bundle.ParseMetadata(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// sumOf returns the SHA-256 sum of what r reads, in hexadecimal.
func sumOf(r io.Reader) (string, error) {
	h := sha256.New()
	_, err := io.Copy(h, r)
	return hex.EncodeToString(h.Sum(nil)), err
}
