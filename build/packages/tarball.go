package packages

import (
	"crypto/sha1"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"io"
	"os"
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
