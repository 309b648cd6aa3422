package packages

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

const (
	maxTarball  = 256 << 20 // bytes, compressed
	maxUnpacked = 1 << 30   // bytes of all entries
	maxEntries  = 100_000
)

// inFile returns the package as it is in a tarball of the repository, whose contents identify
// it in the cache. The error is about a tarball that does not match the lockfile.
func (p *Package) inFile(file string) (*Package, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	stated := p.Integrity
	if _, fragment, ok := cutLast(p.URL, "#"); ok && stated == "" { // as Yarn 1 writes it
		if sum, err := hex.DecodeString(fragment); err == nil && len(sum) == sha1.Size {
			stated = "sha1-" + base64.StdEncoding.EncodeToString(sum)
		}
	}
	sum := sha512.New()
	if stated == "" {
		_, err = io.Copy(sum, io.LimitReader(f, maxTarball+1))
	} else {
		_, err = verify(sum, f, stated)
	}
	if err != nil {
		return nil, err
	}
	found := *p
	found.URL, found.Integrity = "file:", "sha512-"+base64.StdEncoding.EncodeToString(sum.Sum(nil))
	return &found, nil
}

// verify copies a tarball and compares it with the strongest hash of an integrity.
func verify(to io.Writer, from io.Reader, integrity string) (n int64, err error) {
	var sum hash.Hash
	var want []byte
	for _, algorithm := range []struct {
		name string
		hash hash.Hash
	}{{"sha512", sha512.New()}, {"sha384", sha512.New384()}, {"sha256", sha256.New()}, {"sha1", sha1.New()}} {
		for one := range strings.FieldsSeq(integrity) {
			text, ok := strings.CutPrefix(one, algorithm.name+"-")
			if !ok || sum != nil {
				continue
			}
			text, _, _ = strings.Cut(text, "?")
			if want, err = base64.StdEncoding.DecodeString(text); err != nil {
				return 0, fmt.Errorf("invalid integrity hash %q", integrity)
			}
			sum = algorithm.hash
		}
	}
	if sum == nil {
		return 0, fmt.Errorf("unknown integrity algorithm in %q", integrity)
	}
	n, err = io.Copy(io.MultiWriter(to, sum), io.LimitReader(from, maxTarball+1))
	switch {
	case err != nil:
		return n, err
	case n > maxTarball:
		return n, fmt.Errorf("the tarball is larger than %d MiB", maxTarball>>20)
	case string(sum.Sum(nil)) != string(want):
		return n, errors.New("the tarball does not match its integrity hash")
	}
	return n, nil
}

// unpack writes the regular files of a tarball, without the directory that holds them all. A
// link, or a path that leads outside, is refused.
func unpack(dir string, from io.Reader) error {
	zip, err := gzip.NewReader(from)
	if err != nil {
		return fmt.Errorf("read tarball: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	left := int64(maxUnpacked)
	files := tar.NewReader(zip)
	for n := 0; ; n++ {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read tarball: %w", err)
		}
		if n == maxEntries {
			return fmt.Errorf("the tarball has more than %d entries", maxEntries)
		}
		if left -= header.Size; left < 0 {
			return fmt.Errorf("the tarball unpacks to more than %d MiB", maxUnpacked>>20)
		}
		switch header.Typeflag {
		case tar.TypeReg:
		case tar.TypeDir, tar.TypeXGlobalHeader:
			continue
		default:
			return fmt.Errorf("the tarball has a link or a device: %q", header.Name)
		}
		_, name, ok := strings.Cut(path.Clean(header.Name), "/")
		if !ok {
			continue
		}
		if strings.HasPrefix(header.Name, "/") || !filepath.IsLocal(filepath.FromSlash(name)) || strings.Contains("/"+header.Name+"/", "/../") {
			return fmt.Errorf("the tarball has a path that leads outside: %q", header.Name)
		}
		if err := writeFile(root, filepath.FromSlash(name), files); err != nil {
			return fmt.Errorf("unpack %q: %w", header.Name, err)
		}
	}
}

func writeFile(root *os.Root, name string, from io.Reader) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	to, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}
