package rules

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func jsonBOM(p *validate.Pass) {
	if encoding := validate.Encoding(p.Data); encoding != "" {
		p.Reportf(p.Whole(), "file is encoded as %s; it must be UTF-8", encoding)
		return
	}
	if bytes.HasPrefix(p.Data, []byte(inspect.BOM)) {
		start := bundle.Position{Line: 1, Column: 1}
		p.Report(validate.Finding{
			Place:   p.At("", bundle.Span{Start: start, End: start}),
			Message: "file begins with a byte order mark, which editors do not show",
			Fix:     &validate.Fix{Title: "delete the byte order mark", Edits: []validate.Edit{{File: p.File, To: len(inspect.BOM)}}},
		})
	}
	if at := invalidUTF8(p.Data); at >= 0 {
		text := bytes.TrimPrefix(p.Data, []byte(inspect.BOM))
		p.Report(validate.Finding{
			Place:   p.At("", bundle.Span{Start: bundle.PositionIn(text, at), End: bundle.PositionIn(text, at+1)}),
			Message: fmt.Sprintf("byte 0x%02x is not valid UTF-8; the file may be Latin-1", text[at]),
			Help:    "save the file as UTF-8",
		})
	}
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1. A byte
// order mark does not count.
func invalidUTF8(data []byte) int {
	data = bytes.TrimPrefix(data, []byte(inspect.BOM))
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}
