package archive

import (
	"archive/zip"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// SignZip signs a zip that Pack wrote: it adds the signature, or replaces it, and
// writes the checksums of the new zip. The zip must match its manifest. Its bytes are
// then those that Pack writes with the key.
func SignZip(name string, key ed25519.PrivateKey) (*Manifest, error) {
	plugin, closer, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	if err := checkForeign(plugin); err != nil {
		return nil, err
	}
	m, err := Check(plugin)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	z, err := zip.OpenReader(name)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	manifest := slices.IndexFunc(z.File, func(f *zip.File) bool {
		_, rest, _ := strings.Cut(f.Name, "/")
		return rest == ManifestFile
	})
	if manifest < 0 {
		return nil, fmt.Errorf("%s: %w", ManifestFile, fs.ErrNotExist)
	}
	header := newHeader(strings.TrimSuffix(z.File[manifest].Name, ManifestFile)+SignatureFile, 0o644, z.File[manifest].Modified)
	_, err = writeSummed(name, func(w io.Writer) error {
		err := copyWith(newZipWriter(w), z.File, header, m.sign(key))
		return errors.Join(err, z.Close(), closer.Close()) // Windows does not replace a file that is open
	})
	return m, err
}

// copyWith copies the entries and adds or replaces one, in the order of names.
func copyWith(to *zip.Writer, files []*zip.File, header *zip.FileHeader, data []byte) error {
	isAdded := false
	add := func() error {
		isAdded = true
		return addFile(to, header, data)
	}
	for _, f := range files {
		if !isAdded && f.Name >= header.Name {
			if err := add(); err != nil {
				return err
			}
		}
		if f.Name == header.Name {
			continue
		}
		if err := to.Copy(f); err != nil {
			return err
		}
	}
	if !isAdded {
		if err := add(); err != nil {
			return err
		}
	}
	return to.Close()
}
