package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle/zipfs"
)

// Open opens a built plugin for Verify, Check and Inspect: a directory, or a zip with
// one directory at its root. It refuses a zip whose entries a tool could unpack outside
// of that directory or over one another. The caller must close the io.Closer.
func Open(name string) (fs.FS, io.Closer, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	if info.IsDir() {
		root, err := os.OpenRoot(name)
		if err != nil {
			return nil, nil, err
		}
		return root.FS(), root, nil
	}
	if !info.Mode().IsRegular() {
		return nil, nil, &fs.PathError{Op: "open", Path: name, Err: ErrIrregular}
	}
	z, err := zipfs.Open(name, zipfs.Limits{})
	if err != nil {
		return nil, nil, fmt.Errorf("open %s: %w", name, err)
	}
	plugin, err := zipRoot(z)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", name, err), z.Close())
	}
	return plugin, z, nil
}

// zipRoot returns the only directory at the root of a zip.
func zipRoot(z *zipfs.Archive) (fs.FS, error) {
	if z.Refusal != "" {
		return nil, fmt.Errorf("the zip is refused: %s", z.Refusal)
	}
	var root string
	names := map[string]bool{}
	for _, e := range z.Entries {
		name := strings.TrimSuffix(e.Name, "/")
		dir, rest, _ := strings.Cut(name, "/")
		switch {
		case rest == "" && !e.Mode.IsDir() || root != "" && dir != root:
			return nil, errors.New("the zip must have exactly one entry at its root, a directory")
		case names[name]:
			return nil, fmt.Errorf("the entry %q of the zip is repeated", e.Name)
		case e.Path != name:
			return nil, fmt.Errorf("the entry %q of the zip has an invalid name", e.Name)
		case e.Refusal != "":
			return nil, fmt.Errorf("the entry %q of the zip is refused: %s", e.Name, e.Refusal)
		}
		names[name], root = true, dir
	}
	if root == "" {
		return nil, errors.New("the zip is empty")
	}
	return fs.Sub(z, root)
}

// Verify verifies that one of the trusted keys signed the manifest of the plugin in
// dist and that the files are those in the manifest. dist must not lead out of the
// plugin: use Open, the FS of an os.Root, or a zip.
//
// The error matches ErrUnsigned, ErrUnknownKey (as an UnknownKeyError) or
// ErrBadSignature, or is one that Check returns. The signature covers the names and
// the content of all files but MANIFEST.txt, which another service signs; it does
// not cover modes. Verify cannot notice what changes after it returns.
func Verify(dist fs.FS, trusted ...PublicKey) (*Manifest, error) {
	s, err := readSignature(dist)
	if err != nil {
		return nil, err
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

// readSignature returns ErrUnsigned if the plugin has no signature.
func readSignature(dist fs.FS) (*signature, error) {
	data, err := readFile(dist, SignatureFile, maxSignatureBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s is missing", ErrUnsigned, SignatureFile)
	}
	if err != nil {
		return nil, err
	}
	return parseSignature(data)
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
	differences, err := m.compare(dist, IsSigning)
	if err != nil {
		return nil, err
	}
	if len(differences) > 0 {
		return nil, differences
	}
	if err := m.checkOwnerOf(dist); err != nil {
		return nil, err
	}
	return m, nil
}

// Report is everything that Inspect finds out about a plugin.
type Report struct {
	Manifest *Manifest
	Files    FileErrors // the files that differ from the manifest, sorted by path
	Owner    error      // ErrOtherPlugin, or why plugin.json cannot be read; nil if it matches the manifest

	// Signature is nil if a trusted key signed the manifest, and else the error that
	// Verify returns. KeyID is the id of the key that the signature names, as
	// PublicKey.ID returns it, "" without a valid signature file.
	Signature error
	KeyID     string
}

// Inspect is Verify for people: it reports every difference, not only the first.
// The error means that the manifest is missing or invalid, or that the plugin cannot be read.
func Inspect(dist fs.FS, trusted ...PublicKey) (*Report, error) {
	data, err := readFile(dist, ManifestFile, maxManifestBytes)
	if err != nil {
		return nil, err
	}
	r := &Report{}
	s, err := readSignature(dist)
	if r.Signature = err; err == nil {
		r.KeyID, r.Signature = keyID(s.keyID), s.verify(data, trusted)
	}
	if r.Manifest, err = ParseManifest(data); err != nil {
		return nil, err
	}
	if r.Files, err = r.Manifest.compare(dist, IsSigning); err != nil {
		return nil, err
	}
	r.Owner = r.Manifest.checkOwnerOf(dist)
	return r, nil
}

// ReadForeign returns the content of MANIFEST.txt, which another service signs, or nil if there is none.
func ReadForeign(dist fs.FS) ([]byte, error) {
	return readOptional(dist, foreignManifest, maxManifestBytes)
}

// InspectForeign is Inspect for what a MANIFEST.txt lists: MANIFEST.json and its signature are files like any other.
// The Report has no Signature.
func InspectForeign(dist fs.FS, plugin, version string, sums map[string]string) (*Report, error) {
	m := &Manifest{Plugin: plugin, Version: version}
	for name, sum := range sums {
		m.Files = append(m.Files, File{Path: name, Size: -1, SHA256: sum})
	}
	slices.SortFunc(m.Files, byPath)
	files, err := m.compare(dist, func(name string) bool { return name == foreignManifest })
	if err != nil {
		return nil, err
	}
	return &Report{Manifest: m, Files: files, Owner: m.checkOwnerOf(dist)}, nil
}

// compare returns the files in dist that differ from the manifest, sorted by path, without those that it omits.
func (m *Manifest) compare(dist fs.FS, omits func(name string) bool) (FileErrors, error) {
	names, differences, err := list(dist, omits)
	if err != nil {
		return nil, err
	}
	for _, file := range m.Files {
		if _, found := slices.BinarySearch(names, file.Path); !found {
			differences = append(differences, &FileError{Path: file.Path, Err: file.missing()})
		}
	}
	for _, name := range names {
		file, listed := m.File(name)
		if !listed {
			differences = append(differences, &FileError{Path: name, Err: ErrUndeclared})
			continue
		}
		if err := file.Compare(dist); err != nil {
			differences = append(differences, &FileError{Path: name, Err: err})
		}
	}
	slices.SortStableFunc(differences, byErrorPath)
	// A listed file that is irregular is not missing as well.
	return slices.CompactFunc(differences, func(a, b *FileError) bool { return a.Path == b.Path }), nil
}

// File returns what the manifest lists for a path; ok is false if it does not list it.
func (m *Manifest) File(name string) (f File, ok bool) {
	i, ok := slices.BinarySearchFunc(m.Files, name, func(f File, name string) int { return strings.Compare(f.Path, name) })
	if !ok {
		return File{}, false
	}
	return m.Files[i], true
}

// checkOwnerOf returns ErrOtherPlugin if plugin.json has another id or version.
func (m *Manifest) checkOwnerOf(dist fs.FS) error {
	owner, err := manifestOwner(dist)
	if err != nil {
		return err
	}
	if owner.Plugin != m.Plugin || owner.Version != m.Version {
		return fmt.Errorf("%w: it is for %s %s, but plugin.json is for %s %s", ErrOtherPlugin, m.Plugin, m.Version, owner.Plugin, owner.Version)
	}
	return nil
}

// missing returns the error for a listed file that does not exist.
func (f File) missing() error {
	if strings.Contains(f.Path, `\`) {
		return ErrBackslash
	}
	return ErrMissing
}

// Compare returns an error unless dist has the file as the manifest lists it. It reads at most one byte more than
// the listed size.
func (f File) Compare(dist fs.FS) error {
	r, err := openRegular(dist, f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return f.missing()
	}
	if err != nil {
		return err
	}
	defer r.Close()
	most := f.Size + 1
	if f.Size < 0 {
		most = maxTotalBytes
	}
	got, err := sumOf(f.Path, io.LimitReader(r, most))
	switch {
	case err != nil || got == f || f.Size < 0 && got.SHA256 == f.SHA256:
		return err
	case f.hasOtherNewlines(dist):
		return ErrNewlines
	}
	return ErrChanged
}

// hasOtherNewlines reports whether dist has the listed file with LF instead of CRLF, or the reverse.
func (f File) hasOtherNewlines(dist fs.FS) bool {
	const maxText = 4 << 20
	data, err := readFile(dist, f.Path, maxText)
	unix := bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	windows := bytes.ReplaceAll(unix, []byte("\n"), []byte("\r\n"))
	return err == nil && slices.ContainsFunc([][]byte{unix, windows}, func(text []byte) bool {
		got, err := sumOf(f.Path, bytes.NewReader(text))
		return err == nil && got.SHA256 == f.SHA256
	})
}
