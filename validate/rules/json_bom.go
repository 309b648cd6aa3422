package rules

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

// byteOrderMark is U+FEFF in UTF-8.
const byteOrderMark = "\uFEFF"

func jsonBOM() validate.Rule {
	return validate.Rule{
		ID:       "json-bom",
		Severity: validate.Error,
		Summary:  "plugin.json is UTF-8 and does not begin with a byte order mark",
		Why:      "JSON is UTF-8 and begins with its first value. The service stops at the mark and does not load the plugin; of other encodings it garbles every letter that is not of ASCII.",
		Help:     "save the file as UTF-8 without a byte order mark",
		IsRaw:    true,
		Check: func(p *validate.Pass) {
			if encoding := validate.UTF16(p.Data); encoding != "" {
				p.Reportf(p.Whole(), "the file is %s, not UTF-8", encoding)
				return
			}
			if bytes.HasPrefix(p.Data, []byte(byteOrderMark)) {
				start := bundle.Position{Line: 1, Column: 1}
				p.Report(validate.Finding{
					Place:   p.At("", bundle.Span{Start: start, End: start}),
					Message: "the file begins with a byte order mark, three bytes that editors do not show",
					Fix:     &validate.Fix{Title: "delete the byte order mark", Edits: []validate.Edit{{File: p.File, To: len(byteOrderMark)}}},
				})
			}
			if at := invalidUTF8(p.Data); at >= 0 {
				text := bytes.TrimPrefix(p.Data, []byte(byteOrderMark))
				p.Report(validate.Finding{
					Place:   p.At("", bundle.Span{Start: bundle.PositionIn(text, at), End: bundle.PositionIn(text, at+1)}),
					Message: fmt.Sprintf("the byte 0x%02x is not UTF-8; the file looks like Latin-1 or another older encoding", text[at]),
					Help:    "save the file as UTF-8",
				})
			}
		},
	}
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, counted
// from behind a byte order mark, or -1.
func invalidUTF8(data []byte) int {
	data = bytes.TrimPrefix(data, []byte(byteOrderMark))
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}
