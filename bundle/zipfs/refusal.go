package zipfs

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// bomb returns which limit the entries exceed together, or "".
func (a *Archive) bomb(limits Limits) string {
	if a.nodes >= limits.Entries*maxNodes {
		return "its entries are in too many directories"
	}
	var total int64
	for _, e := range a.Entries {
		total += e.Size
		if total > limits.TotalBytes {
			return fmt.Sprintf("its files unpack to more than %s", megabytes(limits.TotalBytes))
		}
	}
	return ""
}

// hidden describes bytes of the file that are not those of one listed entry, or returns "". Programs
// that read a zip from its start unpack what they find there, and zip bombs list bytes more than once.
func (a *Archive) hidden(r io.ReaderAt, size int64) string {
	var entries []*Entry
	starts := map[*Entry]int64{} // of the data
	for i := range a.Entries {
		e := &a.Entries[i]
		from, err := e.file.DataOffset()
		if err != nil || from > size-e.Packed {
			return fmt.Sprintf("the data of its entry %.200q is outside the zip", e.Name)
		}
		entries, starts[e] = append(entries, e), from
	}
	slices.SortStableFunc(entries, func(x, y *Entry) int { return cmp.Compare(starts[x], starts[y]) })
	at, list := int64(0), int64(0)
	for i, e := range entries {
		name, data, ok := localHeader(r, at)
		switch from := starts[e]; {
		case ok && name == e.Name && data == from:
			at = from + e.Packed
		case i > 0 && from < at:
			a.IsBomb = true
			return fmt.Sprintf("its entries %.200q and %.200q overlap", entries[i-1].Name, e.Name)
		default:
			return fmt.Sprintf("its bytes before the entry %.200q are not listed", e.Name)
		}
		if e.file.Flags&0x8 != 0 {
			at += descriptor(r, at)
		}
		list += listHeaderBytes + int64(len(e.file.Name)+len(e.file.Extra)+len(e.file.Comment))
	}
	end, ok := endOf(r, at+list)
	switch {
	case !ok:
		return "its bytes after the last entry are not listed"
	case end != size:
		return fmt.Sprintf("it has %d bytes after its end", size-end)
	}
	return ""
}

// endOf returns where a zip ends whose list of entries ends at an offset.
func endOf(r io.ReaderAt, at int64) (end int64, ok bool) {
	var record [endBytes]byte
	if isSignature(r, at, end64Signature) {
		if _, err := r.ReadAt(record[:12], at); err != nil {
			return 0, false
		}
		at += 12 + int64(min(binary.LittleEndian.Uint64(record[4:]), 1<<20)) + locatorBytes
	}
	if _, err := r.ReadAt(record[:], at); err != nil || string(record[:4]) != endSignature {
		return 0, false
	}
	return at + endBytes + int64(binary.LittleEndian.Uint16(record[20:])), true // with a comment
}

// Signatures of the parts of a zip, and the bytes of a header without its texts, see APPNOTE.TXT 4.3.
const (
	localHeaderBytes    = 30
	listHeaderBytes     = 46
	locatorBytes        = 20
	endBytes            = 22
	localSignature      = "PK\x03\x04"
	descriptorSignature = "PK\x07\x08"
	listSignature       = "PK\x01\x02"
	end64Signature      = "PK\x06\x06"
	endSignature        = "PK\x05\x06"
)

// localHeader returns the name in the header of an entry, and where the entry's data begins.
func localHeader(r io.ReaderAt, at int64) (name string, data int64, ok bool) {
	var header [localHeaderBytes]byte
	if _, err := r.ReadAt(header[:], at); err != nil || string(header[:4]) != localSignature {
		return "", 0, false
	}
	text := make([]byte, binary.LittleEndian.Uint16(header[26:]))
	if _, err := r.ReadAt(text, at+localHeaderBytes); err != nil {
		return "", 0, false
	}
	return string(text), at + localHeaderBytes + int64(len(text)) + int64(binary.LittleEndian.Uint16(header[28:])), true
}

// descriptor returns the length of the sizes and the checksum that follow the data of an entry. Their
// signature is optional, and their sizes have four or eight bytes.
func descriptor(r io.ReaderAt, at int64) int64 {
	lengths := []int64{12, 20}
	if isSignature(r, at, descriptorSignature) {
		lengths = []int64{16, 24}
	}
	for _, n := range lengths {
		if isSignature(r, at+n, localSignature) || isSignature(r, at+n, listSignature) {
			return n
		}
	}
	return 0
}

func isSignature(r io.ReaderAt, at int64, want string) bool {
	var got [4]byte
	_, err := r.ReadAt(got[:], at)
	return err == nil && string(got[:]) == want
}
