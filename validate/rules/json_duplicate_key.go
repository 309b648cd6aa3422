package rules

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

func jsonDuplicateKey(p *validate.Pass) {
	for _, d := range p.Doc.Duplicates() {
		p.Report(validate.Finding{
			Place:   p.At(d.Pointer, d.Again),
			Message: fmt.Sprintf("duplicate key %q; the last one takes precedence", d.Key),
			Related: []validate.Related{{Place: p.At(d.Pointer, d.First), Message: "first set here"}},
			Fix:     dropEqual(p, d),
		})
	}
}

// dropEqual is the fix that deletes the first of two equal entries, or nil if they
// differ.
func dropEqual(p *validate.Pass, d bundle.Duplicate) *validate.Fix {
	same := 0
	for _, other := range p.Doc.Duplicates() {
		if other.Pointer == d.Pointer {
			same++
		}
	}
	if same != 1 {
		return nil
	}
	first, firstEnd := entryAt(p.Doc.Data, d.First)
	second, _ := entryAt(p.Doc.Data, d.Again)
	if first == "" || first != second {
		return nil
	}
	rest := bytes.TrimLeft(p.Doc.Data[firstEnd:], " \t\r\n")
	if !bytes.HasPrefix(rest, []byte(",")) {
		return nil
	}
	rest = bytes.TrimLeft(rest[1:], " \t\r\n")
	mark := len(p.Data) - len(p.Doc.Data)
	return &validate.Fix{Title: "delete the first entry, which has the same value", Edits: []validate.Edit{{
		File: p.File, From: d.First.Start.Offset + mark, To: len(p.Doc.Data) - len(rest) + mark,
	}}}
}

// entryAt returns the source text of the value that follows a key, and its end.
func entryAt(data []byte, key bundle.Span) (value string, end int) {
	rest := bytes.TrimLeft(data[key.End.Offset:], " \t\r\n")
	if !bytes.HasPrefix(rest, []byte(":")) {
		return "", 0
	}
	rest = bytes.TrimLeft(rest[1:], " \t\r\n")
	var raw json.RawMessage
	if err := json.NewDecoder(bytes.NewReader(rest)).Decode(&raw); err != nil {
		return "", 0
	}
	return string(raw), len(data) - len(rest) + len(raw)
}
