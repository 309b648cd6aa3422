package validate

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/bundle/zipfs"
)

// Open returns the tree and the options for validating a path, which may be relative to
// the directory cwd. The findings name files as they can be opened from cwd: a path
// below cwd is validated in the tree of cwd, and any other becomes Options.Prefix. The
// tree is a *tree.Tree, or an *zipfs.Archive for a zip. The caller must close it.
func Open(cwd, name string) (fs.FS, Options, error) {
	if name == "" {
		name = "."
	}
	typed := name
	if !filepath.IsAbs(name) {
		name = filepath.Join(cwd, name)
	}
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Options{}, fmt.Errorf("nothing to validate: %s: %w", typed, fs.ErrNotExist) // without the whole path
	}
	if err != nil {
		return nil, Options{}, fmt.Errorf("nothing to validate: %w", err)
	}
	if base := filepath.Base(name); slices.Contains([]string{"package.json", "package-lock.json", "tsconfig.json"}, base) {
		return nil, Options{}, fmt.Errorf("%s is not the plugin.json of a plugin: name that, or its directory", typed)
	}
	if info.Mode().IsRegular() {
		a, err := openZip(name)
		if err != nil {
			return nil, Options{}, fmt.Errorf("%s: %w", typed, err)
		}
		if a != nil {
			return a, Options{Prefix: filepath.ToSlash(filepath.Clean(typed))}, nil
		}
	}
	base, rel, prefix := cwd, "", ""
	isLink, isPart := linkKind(name)
	if r, err := filepath.Rel(cwd, name); err == nil && filepath.IsLocal(r) && (isPart || !isLink || !info.IsDir()) {
		rel = r
	} else if info.IsDir() && !isPart {
		base, rel, prefix = name, ".", typed
	} else {
		base, rel, prefix = filepath.Dir(name), filepath.Base(name), filepath.Dir(typed)
	}
	t, err := tree.Open(base)
	if err != nil {
		return nil, Options{}, fmt.Errorf("nothing to validate: %w", err)
	}
	return t, Options{Path: filepath.ToSlash(rel), Prefix: filepath.ToSlash(prefix), RootName: filepath.Base(base)}, nil
}

// Stdin is the name of what comes from standard input.
const Stdin = "<stdin>"

// OpenReader returns the tree and the options for validating a zip, or one plugin.json without
// the files around it, such as the contents of an editor. Its name in the report is Stdin. The
// caller must close the tree of a zip.
func OpenReader(in io.Reader) (fs.FS, Options, error) {
	r := bufio.NewReader(in)
	magic, _ := r.Peek(magicBytes) // an error is that of reading the rest as well
	if format := otherFormat(magic); format != "" {
		return nil, Options{}, fmt.Errorf("%s is %s", Stdin, format)
	}
	if bytes.HasPrefix(magic, []byte(zipMagic)) {
		a, err := zipfs.FromReader(r)
		if errors.Is(err, zipfs.ErrNotZip) {
			err = fmt.Errorf("%w: it begins as a zip, but its list of entries is missing or damaged; is it complete?", err)
		}
		if err != nil {
			return nil, Options{}, fmt.Errorf("%s: %w", Stdin, err)
		}
		return a, Options{Prefix: Stdin}, nil
	}
	data, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1)) // Run rejects a larger one
	if err != nil {
		return nil, Options{}, fmt.Errorf("read standard input: %w", err)
	}
	return fstest.MapFS{Stdin: {Data: data}}, Options{Path: Stdin, IsAlone: true}, nil
}

// linkKind reports whether a path is a symbolic link, and whether that is part of a
// repository or plugin, which it then must not leave. Any other link stands for the
// directory that it points to.
func linkKind(name string) (isLink, isPart bool) {
	info, err := os.Lstat(name)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return false, false
	}
	parent := filepath.Dir(name)
	_, isRepo := tree.Boundary(parent)
	for _, beside := range []string{bundle.MetadataFile, filepath.Join(sourceDir, bundle.MetadataFile), "package.json", "go.mod"} {
		_, err := os.Lstat(filepath.Join(parent, beside))
		isPart = isPart || err == nil
	}
	return true, isRepo || isPart || isPartName(filepath.Base(name))
}

// zipMagic begins a zip with entries.
const zipMagic = "PK\x03\x04"

// magicBytes is how much of a file tells its format.
const magicBytes = 32

// otherFormat returns what a file is that begins with magic and that nobody meant to validate, and what to do, or "".
func otherFormat(magic []byte) string {
	if bytes.HasPrefix(magic, []byte("version https://git-lfs")) {
		return "a pointer of Git LFS and not the file itself: run git lfs pull"
	}
	if start := bytes.ToLower(bytes.TrimSpace(magic)); bytes.HasPrefix(start, []byte("<!doctype html")) || bytes.HasPrefix(start, []byte("<html")) {
		return "an HTML page: download the zip again, and sign in first if that is necessary"
	}
	for _, f := range []struct{ magic, name string }{
		{"\x1f\x8b", "gzip"}, {"BZh", "bzip2"}, {"\xfd7zX", "xz"}, {"\x28\xb5\x2f\xfd", "zstd"}, {"7z\xbc\xaf", "7z"}, {"Rar!", "RAR"},
	} {
		if bytes.HasPrefix(magic, []byte(f.magic)) {
			return "a " + f.name + " archive: validate a zip or the unpacked directory"
		}
	}
	return ""
}

// openZip opens a zip, or returns nil if neither the name of the file nor its first bytes
// are those of a zip.
func openZip(name string) (*zipfs.Archive, error) {
	isNamed := strings.EqualFold(filepath.Ext(name), ".zip")
	f, err := tree.OpenFile(name)
	if err != nil {
		if !isNamed {
			return nil, nil // Run reports it
		}
		return nil, err
	}
	magic := make([]byte, magicBytes)
	n, _ := f.ReadAt(magic, 0)
	switch format := otherFormat(magic[:n]); {
	case format != "":
		return nil, errors.Join(errors.New("it is "+format), f.Close())
	case !isNamed && !bytes.HasPrefix(magic[:n], []byte(zipMagic)):
		if extension := filepath.Ext(name); extension != "" && !strings.EqualFold(extension, ".json") {
			return nil, errors.Join(errors.New("it is neither a plugin.json nor a zip: name one, or the directory of a plugin"), f.Close())
		}
		return nil, f.Close()
	}
	return zipfs.FromFile(f)
}
