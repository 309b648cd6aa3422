package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
)

// ManifestFile is the name of the manifest, next to the plugin.json of a built
// plugin.
const ManifestFile = "MANIFEST.json"

// ErrNotCanonical is the error for a manifest that differs from what Manifest.Encode
// returns for its content, for example because it repeats a key.
var ErrNotCanonical = errors.New("not in canonical form: keys must be known, sorted and unique, and indented by two spaces")

const (
	maxManifestBytes = 8 << 20
	maxMetadataBytes = 1 << 20
	maxFiles         = 20000
	maxEntries       = 2 * maxFiles // files and directories
	maxTotalBytes    = 2 << 30      // of all files
)

// Manifest lists the files of a built plugin. It omits itself and the files that
// sign the plugin.
type Manifest struct {
	Plugin  string // id
	Version string
	Files   []File // sorted by path
}

// File is a file of a built plugin.
type File struct {
	Path   string // separated by slashes, relative to the directory of the plugin
	Size   int64  // in bytes; negative if it is not known
	SHA256 string // lower-case hexadecimal
}

// encodedManifest is the JSON of a manifest. The key "files" has the form that
// other tools of the ecosystem read, so sizes have a key of their own.
type encodedManifest struct {
	Plugin  string            `json:"plugin"`
	Version string            `json:"version"`
	Files   map[string]string `json:"files"`
	Sizes   map[string]int64  `json:"sizes"`
}

// NewManifest lists the files of the built plugin in dist, which must not lead out
// of the plugin: use the FS of an os.Root, or a zip. A symbolic link to a file of the
// plugin counts as that file.
func NewManifest(dist fs.FS) (*Manifest, error) {
	m, err := manifestOwner(dist)
	if err != nil {
		return nil, err
	}
	names, irregular, err := list(dist, IsSigning)
	if err != nil {
		return nil, err
	}
	if len(irregular) > 0 {
		return nil, irregular
	}
	if err := checkNames(names); err != nil {
		return nil, err
	}
	for _, name := range names {
		if notOnWindows.MatchString(name) {
			return nil, fmt.Errorf("%q is not a path that Windows accepts; rename the file or its directory", name)
		}
		file, err := sum(dist, name)
		if err != nil {
			return nil, err
		}
		m.Files = append(m.Files, file)
	}
	return m, m.checkSize()
}

// checkSize returns an error if the files are larger than what readers of the manifest
// are willing to read.
func (m *Manifest) checkSize() error {
	left := int64(maxTotalBytes)
	for _, f := range m.Files {
		if f.Size > left {
			return fmt.Errorf("the files of the plugin are larger than %d MiB", maxTotalBytes>>20)
		}
		left -= f.Size
	}
	return nil
}

// WriteManifest writes the manifest of the built plugin in the directory dist into
// that directory.
func WriteManifest(dist string) (*Manifest, error) {
	root, err := os.OpenRoot(dist)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	m, err := NewManifest(root.FS())
	if err != nil {
		return nil, err
	}
	return m, writeFile(filepath.Join(dist, ManifestFile), m.Encode())
}

// ParseManifest reads a manifest in the form that Encode returns. Any other form is
// an error.
func ParseManifest(data []byte) (*Manifest, error) {
	if len(data) > maxManifestBytes {
		return nil, fmt.Errorf("%s is larger than %d bytes", ManifestFile, maxManifestBytes)
	}
	m, err := parseManifest(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ManifestFile, err)
	}
	return m, nil
}

func parseManifest(data []byte) (*Manifest, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	var encoded encodedManifest
	if err := decoder.Decode(&encoded); err != nil {
		return nil, err
	}
	m := &Manifest{Plugin: encoded.Plugin, Version: encoded.Version}
	if err := m.checkOwner(); err != nil {
		return nil, err
	}
	if len(encoded.Files) > maxFiles {
		return nil, errTooManyFiles
	}
	for name, digest := range encoded.Files {
		raw, err := hex.DecodeString(digest)
		if err != nil || len(raw) != sha256.Size || digest != strings.ToLower(digest) {
			return nil, fmt.Errorf("%q has an invalid SHA-256 sum %q", name, digest)
		}
		size, ok := encoded.Sizes[name]
		if !ok || size < 0 {
			return nil, fmt.Errorf("%q has no valid size", name)
		}
		m.Files = append(m.Files, File{Path: name, Size: size, SHA256: digest})
	}
	slices.SortFunc(m.Files, byPath)
	if err := m.checkSize(); err != nil {
		return nil, err
	}
	names := make([]string, len(m.Files))
	for i, f := range m.Files {
		names[i] = f.Path
	}
	if err := checkNames(names); err != nil {
		return nil, err
	}
	if !bytes.Equal(m.Encode(), data) {
		return nil, ErrNotCanonical
	}
	return m, nil
}

// Encode returns the manifest as canonical JSON: the same files give the same bytes.
func (m *Manifest) Encode() []byte {
	encoded := encodedManifest{m.Plugin, m.Version, map[string]string{}, map[string]int64{}}
	for _, f := range m.Files {
		encoded.Files[f.Path] = f.SHA256
		encoded.Sizes[f.Path] = f.Size
	}
	return encodeJSON(encoded)
}

// encodeJSON encodes a value of strings, numbers, slices and maps.
func encodeJSON(v any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		panic(err) // these types cannot fail
	}
	return b.Bytes()
}

func byPath(a, b File) int { return strings.Compare(a.Path, b.Path) }

// isSafeName reports whether an id or version can be part of a file name everywhere.
func isSafeName(name string) bool {
	const letters, others = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "._+-"
	return name != "" && strings.Trim(name, letters+others) == "" && !strings.ContainsAny(name[:1], others)
}

// manifestOwner returns a manifest without files for the plugin in dist.
func manifestOwner(dist fs.FS) (*Manifest, error) {
	data, err := readFile(dist, bundle.MetadataFile, maxMetadataBytes)
	if err != nil {
		return nil, err
	}
	metadata, err := bundle.ParseMetadata(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", bundle.MetadataFile, err)
	}
	m := &Manifest{Plugin: metadata.ID, Version: metadata.Info.Version}
	if err := m.checkOwner(); err != nil {
		return nil, fmt.Errorf("%s: %w", bundle.MetadataFile, err)
	}
	return m, nil
}

func (m *Manifest) checkOwner() error {
	if !isSafeName(m.Plugin) {
		return fmt.Errorf("the id %q must start with a letter or digit and contain only letters, digits, dots, hyphens, underscores and plus signs", m.Plugin)
	}
	if !isSafeName(m.Version) {
		return fmt.Errorf("the version %q is invalid: use one such as 1.0.0", m.Version)
	}
	return nil
}

// sum reads a file and returns what the manifest records about it.
func sum(dist fs.FS, name string) (File, error) {
	f, err := openRegular(dist, name)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	return sumOf(name, f)
}

func sumOf(name string, r io.Reader) (File, error) {
	h := sha256.New()
	n, err := io.Copy(h, r)
	if err != nil {
		return File{}, err
	}
	return File{Path: name, Size: n, SHA256: hex.EncodeToString(h.Sum(nil))}, nil
}
