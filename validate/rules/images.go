package rules

import (
	"bytes"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

// maxImageBytes is the size beyond which an image is not looked into.
const maxImageBytes = 8 << 20

// image is a logo or screenshot that is there.
type image struct {
	asset
	isLogo bool
	data   []byte
	kind   string // svg, png, jpeg, gif, webp; "" is none of these
	err    error
}

type imagesKey struct{}

// images reads the logos and screenshots of a plugin once for all rules that ask.
func images(p *validate.Pass) []image {
	return validate.Fact(p, imagesKey{}, func() []image {
		var all []image
		read := map[string]image{}
		for _, a := range assets(p) {
			isLogo := strings.HasPrefix(a.pointer, "/info/logos/")
			if a.verdict != pathFine || !isLogo && !strings.HasPrefix(a.pointer, "/info/screenshots/") {
				continue
			}
			i, ok := read[a.file]
			if !ok {
				i.data, i.err = readFile(p, p.Root, a.file, maxImageBytes)
				i.kind = kindOfImage(i.data)
				read[a.file] = i
			}
			i.asset, i.isLogo = a, isLogo
			all = append(all, i)
		}
		return all
	})
}

// kindOfImage tells images apart by their first bytes.
func kindOfImage(data []byte) string {
	for kind, magic := range map[string]string{"png": "\x89PNG\r\n\x1a\n", "jpeg": "\xff\xd8\xff", "gif": "GIF8"} {
		if bytes.HasPrefix(data, []byte(magic)) {
			return kind
		}
	}
	if len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP" {
		return "webp"
	}
	start := data[:min(len(data), 64<<10)]
	if begin := bytes.TrimLeft(bytes.TrimPrefix(start, []byte(byteOrderMark)), " \t\r\n"); bytes.HasPrefix(begin, []byte("<")) && bytes.Contains(begin, []byte("<svg")) {
		return "svg"
	}
	if bytes.HasPrefix(start, []byte("<")) && bytes.Contains(start, []byte(":svg")) {
		return "svg" // with a prefix for its namespace
	}
	return ""
}

// describe names what a file is, for a message.
func (i image) describe() string {
	switch {
	case i.kind != "":
		return map[string]string{"svg": "SVG", "png": "a PNG picture", "jpeg": "a JPEG picture", "gif": "a GIF picture", "webp": "a WebP picture"}[i.kind]
	case len(i.data) == 0:
		return "empty"
	case path.Ext(i.text) == ".svg":
		return "not SVG inside"
	}
	return "not a picture that browsers show"
}
