package inspect

import (
	"bytes"
	"errors"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/internal/limit"
	"github.com/slipway-dev/slipway/validate"
)

// MaxImageBytes is the size beyond which an image is not read.
const MaxImageBytes = 8 << 20

// Image is a logo or screenshot that exists.
type Image struct {
	Asset
	IsLogo     bool
	IsEmpty    bool
	IsTooLarge bool   // it is larger than MaxImageBytes; Err says so
	Kind       string // svg, png, jpeg, gif, webp, or "" for anything else
	Err        error
}

// Images holds the logos and screenshots of a plugin.
var Images = validate.NewFact(func(p *validate.Pass) []Image {
	var all []Image
	read := map[string]Image{}
	for _, a := range Assets.Of(p) {
		isLogo := strings.HasPrefix(a.Pointer, "/info/logos/")
		if a.Verdict != PathFine || !isLogo && !strings.HasPrefix(a.Pointer, "/info/screenshots/") {
			continue
		}
		i, ok := read[a.File]
		if !ok {
			var data []byte
			data, i.Err = ReadFile(p, p.Root, a.File, MaxImageBytes)
			i.Kind, i.IsEmpty = imageKind(data), len(data) == 0
			_, i.IsTooLarge = errors.AsType[*limit.TooLargeError](i.Err)
			read[a.File] = i
		}
		i.Asset, i.IsLogo = a, isLogo
		all = append(all, i)
	}
	return all
})

// imageKind identifies an image by its first bytes.
func imageKind(data []byte) string {
	for kind, magic := range map[string]string{"png": "\x89PNG\r\n\x1a\n", "jpeg": "\xff\xd8\xff", "gif": "GIF8"} {
		if bytes.HasPrefix(data, []byte(magic)) {
			return kind
		}
	}
	if len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP" {
		return "webp"
	}
	start := data[:min(len(data), 64<<10)]
	if begin := bytes.TrimLeft(bytes.TrimPrefix(start, []byte(BOM)), " \t\r\n"); bytes.HasPrefix(begin,
		[]byte("<")) && bytes.Contains(begin, []byte("<svg")) {
		return "svg"
	}
	if bytes.HasPrefix(start, []byte("<")) && bytes.Contains(start, []byte(":svg")) {
		return "svg" // with a namespace prefix
	}
	return ""
}

// Describe returns what the file is, for a message.
func (i Image) Describe() string {
	switch {
	case i.Kind != "":
		return map[string]string{"svg": "an SVG image", "png": "a PNG image", "jpeg": "a JPEG image", "gif": "a GIF image",
			"webp": "a WebP image"}[i.Kind]
	case i.IsEmpty:
		return "an empty file"
	case path.Ext(i.Text) == ".svg":
		return "a file without SVG content"
	}
	return "not an image that browsers can show"
}
