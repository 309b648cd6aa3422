package archive

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/slipway-dev/slipway/internal/limit"
)

// foreignManifest is the manifest that another service signs. It lists every other
// file of the plugin, so no manifest can list it.
const foreignManifest = "MANIFEST.txt"

var errTooManyFiles = fmt.Errorf("the plugin has more than %d files or %d files and directories", maxFiles, maxEntries)

// IsSigning reports whether a file of a plugin is part of its manifest or signature
// and so is not listed in the manifest.
func IsSigning(name string) bool {
	return slices.Contains([]string{ManifestFile, SignatureFile, foreignManifest}, name)
}

// IsWritten reports whether a file in dist is a manifest or a signature in the form that
// Sign writes.
func IsWritten(dist fs.FS, name string) bool {
	if name != ManifestFile && name != SignatureFile {
		return false
	}
	data, err := readFile(dist, name, maxManifestBytes)
	if err == nil && name == ManifestFile {
		_, err = ParseManifest(data)
	} else if err == nil {
		err = CheckSignature(nil, data)
	}
	return err == nil
}

// list returns the sorted names of the files that a manifest must list, which omits some, and an error for each
// entry that is not a directory, a regular file or a link to one.
func list(dist fs.FS, omits func(name string) bool) (names []string, irregular FileErrors, err error) {
	entries := 0
	err = fs.WalkDir(dist, ".", func(name string, d fs.DirEntry, err error) error {
		if entries++; err == nil && entries > maxEntries {
			return errTooManyFiles
		}
		if err != nil || d.IsDir() || omits(name) {
			return err
		}
		if len(names)+len(irregular) == maxFiles {
			return errTooManyFiles
		}
		if d.Type()&fs.ModeSymlink != 0 {
			if info, err := fs.Stat(dist, name); err != nil || !info.Mode().IsRegular() {
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
	slices.SortFunc(irregular, byErrorPath)
	return names, irregular, err
}

// notOnWindows matches the paths of files that Windows cannot create: device names, with or
// without an extension, reserved characters, and dots and spaces at the end of a name.
var notOnWindows = regexp.MustCompile(`(?i)(^|/)(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[1-9¹²³]) *([./]|$)|[*?"<>|]|[. ](/|$)`)

// checkNames reports the first name that some system cannot unpack, or unpacks to
// the same file as another one.
func checkNames(names []string) error {
	files := map[string]string{} // by folded name
	for _, reserved := range []string{ManifestFile, SignatureFile, foreignManifest} {
		files[fold(reserved)] = reserved
	}
	for _, name := range names {
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

// readFile reads a file of at most maxBytes bytes.
func readFile(dist fs.FS, name string, maxBytes int64) ([]byte, error) {
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
