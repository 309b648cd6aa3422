package frame

import "slices"

// FillRefID returns an Arrow IPC file with refID as the RefID of its frame. It returns
// file itself if the frame has a RefID already, or if file is not an Arrow IPC file with a
// schema that Parse supports. The SDK calls it on the frames of other packages.
func FillRefID(file []byte, refID string) []byte {
	a, err := openArrow(file)
	if err != nil || find(a.schema.metadata, refIDKey) != "" {
		return file
	}
	s := a.schema
	s.metadata = slices.DeleteFunc(s.metadata, func(e entry) bool { return e.key == refIDKey })
	s.metadata = append(s.metadata, entry{refIDKey, utf8Text(refID)})
	out := make([]byte, start, len(file)+1024+2*len(refID))
	copy(out, magic)
	out = appendMessage(out, message(headerSchema, 0, s.build))
	blocks := slices.Clone(a.blocks)
	for n, b := range a.blocks {
		blocks[n].at = len(out)
		out = append(out, file[b.at:][:b.metaSize+b.bodySize]...)
	}
	return appendFooter(out, footer(s, blocks))
}
