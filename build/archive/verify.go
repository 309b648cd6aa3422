package archive

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// VerifyPath verifies a built plugin as Verify does: a directory, or a zip with one
// directory at its root.
func VerifyPath(name string, trusted ...PublicKey) (*Manifest, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		root, err := os.OpenRoot(name)
		if err != nil {
			return nil, err
		}
		defer root.Close()
		return Verify(root.FS(), trusted...)
	}
	z, err := zip.OpenReader(name)
	if err != nil {
		return nil, fmt.Errorf("open zip %s: %w", name, err)
	}
	defer z.Close()
	plugin, err := zipRoot(&z.Reader)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return Verify(plugin, trusted...)
}

// zipRoot returns the only directory at the root of a zip.
func zipRoot(z *zip.Reader) (fs.FS, error) {
	var root string
	names := map[string]bool{}
	for _, f := range z.File {
		dir, rest, ok := strings.Cut(f.Name, "/")
		if !ok || root != "" && dir != root {
			return nil, errors.New("the zip must have exactly one entry at its root, a directory")
		}
		if !fs.ValidPath(strings.TrimSuffix(f.Name, "/")) || names[f.Name] {
			return nil, fmt.Errorf("the entry %q of the zip is repeated or has an invalid name", f.Name)
		}
		names[f.Name] = true
		if rest == "" && !f.Mode().IsDir() {
			return nil, fmt.Errorf("the entry %q of the zip must be a directory", f.Name)
		}
		root = dir
	}
	if root == "" {
		return nil, errors.New("the zip is empty")
	}
	return fs.Sub(z, root)
}

// Verify verifies that one of the trusted keys signed the manifest of the plugin in
// dist and that the files are those in the manifest. dist must not lead out of the
// plugin: use the FS of an os.Root, or a zip.
//
// The error matches ErrUnsigned, ErrUnknownKey (as an UnknownKeyError) or
// ErrBadSignature, or is one that Check returns. The signature covers the names and
// the content of all files but MANIFEST.txt, which another service signs; it does
// not cover modes. Verify cannot notice what changes after it returns.
func Verify(dist fs.FS, trusted ...PublicKey) (*Manifest, error) {
	data, err := readFile(dist, SignatureFile, maxSignatureBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s is missing", ErrUnsigned, SignatureFile)
	}
	if err != nil {
		return nil, err
	}
	s, err := parseSignature(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", SignatureFile, err)
	}
	signed, err := readFile(dist, ManifestFile, maxManifestBytes)
	if err != nil {
		return nil, err
	}
	if err := s.verify(signed, trusted); err != nil {
		return nil, err
	}
	return check(dist, signed)
}

// Check compares the files of the plugin in dist with its manifest, without a
// signature. dist must not lead out of the plugin, as for Verify. The error matches
// ErrOtherPlugin, or is a FileErrors with each file that differs.
func Check(dist fs.FS) (*Manifest, error) {
	data, err := readFile(dist, ManifestFile, maxManifestBytes)
	if err != nil {
		return nil, err
	}
	return check(dist, data)
}

func check(dist fs.FS, manifest []byte) (*Manifest, error) {
	m, err := ParseManifest(manifest)
	if err != nil {
		return nil, err
	}
	names, differences, err := list(dist)
	if err != nil {
		return nil, err
	}
	for _, file := range m.Files {
		if _, found := slices.BinarySearch(names, file.Path); !found {
			differences = append(differences, &FileError{Path: file.Path, Err: ErrMissing})
		}
	}
	for _, name := range names {
		i, listed := slices.BinarySearchFunc(m.Files, name, func(f File, name string) int { return strings.Compare(f.Path, name) })
		if !listed {
			differences = append(differences, &FileError{Path: name, Err: ErrUndeclared})
			continue
		}
		if err := m.Files[i].compare(dist); err != nil {
			differences = append(differences, &FileError{Path: name, Err: err})
		}
	}
	if len(differences) > 0 {
		slices.SortStableFunc(differences, byErrorPath)
		// A listed file that is irregular is not missing as well.
		return nil, slices.CompactFunc(differences, func(a, b *FileError) bool { return a.Path == b.Path })
	}
	owner, err := manifestOwner(dist)
	if err != nil {
		return nil, err
	}
	if owner.Plugin != m.Plugin || owner.Version != m.Version {
		return nil, fmt.Errorf("%w: it is for %s %s, but plugin.json is of %s %s", ErrOtherPlugin, m.Plugin, m.Version, owner.Plugin, owner.Version)
	}
	return m, nil
}

// compare returns ErrChanged if the file differs from the manifest. It reads at most
// one byte more than the manifest lists.
func (f File) compare(dist fs.FS) error {
	r, err := openRegular(dist, f.Path)
	if err != nil {
		return err
	}
	defer r.Close()
	got, err := sumOf(f.Path, io.LimitReader(r, f.Size+1))
	if err == nil && got != f {
		err = ErrChanged
	}
	return err
}
