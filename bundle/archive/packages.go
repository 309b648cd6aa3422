package archive

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
)

// packages returns the npm packages that the source maps in dist list: package frontend
// records them under "x_packages". The maps of other bundlers list none.
func (p *packer) packages() ([]Package, error) {
	var list []Package
	for _, name := range p.files {
		if path.Base(name) != "module.js.map" {
			continue
		}
		r, err := openRegular(p.dist, name)
		if err != nil {
			return nil, err
		}
		found, err := packagesOf(r)
		if err = errors.Join(err, r.Close()); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, found...)
	}
	return list, nil
}

// packagesOf reads the packages of a source map. They come before the sources, which can be
// large and are not read.
func packagesOf(r io.Reader) ([]Package, error) {
	const maxBytes = 8 << 20
	d := json.NewDecoder(io.LimitReader(r, maxBytes))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, nil // not a source map
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, nil
		}
		switch key {
		case "version", "file", "sourceRoot":
			var skipped json.RawMessage
			if d.Decode(&skipped) != nil {
				return nil, nil
			}
		case "x_packages":
			var list []Package
			return list, d.Decode(&list)
		default:
			return nil, nil
		}
	}
	return nil, nil
}
