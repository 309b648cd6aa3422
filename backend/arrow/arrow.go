// Package arrow reads the frames of a response, which plugins send as Arrow IPC files.
package arrow

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// Decode reads a frame from an Arrow IPC file with any number of record batches. Its
// columns may hold numbers, strings, booleans, timestamps and binary; compression and
// dictionaries are not supported. Decode does not panic, and the memory that it
// allocates is proportional to the size of the file.
func Decode(file []byte) (f *data.Frame, err error) {
	defer func() {
		if p := recover(); p != nil { // the reader trusts the offsets in the file
			f, err = nil, fmt.Errorf("decode Arrow file: damaged file: %v", p)
		}
	}()
	if err := (&checker{file: file, left: len(file)}).check(); err != nil {
		return nil, fmt.Errorf("decode Arrow file: %w", err)
	}
	if f, err = data.UnmarshalArrowFrame(file); err != nil {
		return nil, fmt.Errorf("decode Arrow file: %w", err)
	}
	if size := textSize(f); size > len(file) {
		return nil, errors.New("decode Arrow file: damaged file: its strings overlap")
	}
	return f, nil
}

// ToJSON encodes a frame as JSON, as hosts send it to browsers. It returns an error if
// the frame cannot be encoded, for example because its fields differ in length.
func ToJSON(f *data.Frame) (text []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			text, err = nil, fmt.Errorf("encode frame as JSON: %v", p)
		}
	}()
	if text, err = data.FrameToJSON(f, data.IncludeAll); err != nil {
		return nil, fmt.Errorf("encode frame as JSON: %w", err)
	}
	return text, nil
}

// textSize is what the strings of a frame hold, in bytes.
func textSize(f *data.Frame) (size int) {
	for _, field := range f.Fields {
		if kind := field.Type().NonNullableType(); kind != data.FieldTypeString && kind != data.FieldTypeJSON {
			continue
		}
		for row := range field.Len() {
			switch v, _ := field.ConcreteAt(row); v := v.(type) {
			case string:
				size += len(v)
			case json.RawMessage:
				size += len(v)
			}
		}
	}
	return size
}

// checker looks at the lengths in an Arrow file before the reader allocates what they
// ask for: a file of a few hundred bytes can ask for more memory than there is, and
// running out of it cannot be recovered from. Offsets that lead out of the file end in
// a panic, here as in the reader, which FromArrow recovers.
//
// The slots are those of the tables in Arrow's File.fbs, Schema.fbs and Message.fbs.
type checker struct {
	file []byte
	left int // bytes that fields, names and metadata may still take: no two share one
}

const (
	magic         = "ARROW1"
	trailer       = 4 + len(magic) // length of the footer, magic
	continuation  = 0xffffffff     // before the length of a message, since format version 5
	typeTimestamp = 10
	messageRecord = 3 // header type of a record batch
)

// isFrameType says whether a field of a frame is written as this type: integer,
// floating point, binary, string, boolean, timestamp.
func isFrameType(t byte) bool { return t >= 2 && t <= 6 || t == typeTimestamp }

func (c *checker) check() error {
	end := len(c.file) - trailer
	if end < 2*len(magic) || !bytes.HasPrefix(c.file, []byte(magic)) || !bytes.HasSuffix(c.file, []byte(magic)) {
		return errors.New("it is no Arrow file")
	}
	length := int(int32(binary.LittleEndian.Uint32(c.file[end:])))
	if length < flatbuffers.SizeUOffsetT || length > end {
		return fmt.Errorf("its footer is said to have %d bytes", length)
	}
	footer := root(c.file[end-length : end])
	schema, ok := table(footer, 1)
	if !ok {
		return errors.New("it has no schema")
	}
	if err := c.schema(schema); err != nil {
		return err
	}
	if _, n, err := vector(footer, 2, 24); err != nil || n > 0 {
		return errors.Join(err, errors.New("it has dictionaries, which frames do not"))
	}
	if err := c.metadata(footer, 4); err != nil {
		return err
	}
	start, blocks, err := vector(footer, 3, 24)
	if err != nil {
		return err
	}
	left := int64(len(c.file))
	for n := range blocks {
		at := start + flatbuffers.UOffsetT(n*24)
		offset, meta, body := footer.GetInt64(at), int64(footer.GetInt32(at+8)), footer.GetInt64(at+16)
		if offset < 0 || meta < 8 || body < 0 || meta > left || body > left-meta || offset > int64(len(c.file))-meta-body {
			return fmt.Errorf("record batch %d is said to have %d and %d bytes at byte %d", n, meta, body, offset)
		}
		left -= meta + body
		if err := c.record(c.file[offset:offset+meta], body); err != nil {
			return fmt.Errorf("record batch %d: %w", n, err)
		}
	}
	return nil
}

func (c *checker) schema(t flatbuffers.Table) error {
	if err := c.metadata(t, 2); err != nil {
		return err
	}
	if _, _, err := vector(t, 3, 8); err != nil {
		return err
	}
	start, fields, err := vector(t, 1, flatbuffers.SizeUOffsetT)
	if err != nil {
		return err
	}
	if err := c.charge(fields * flatbuffers.SizeUOffsetT); err != nil {
		return err
	}
	for n := range fields {
		field := element(t, start, n)
		if err := c.text(field, 0); err != nil {
			return err
		}
		if kind := field.GetByteSlot(slot(2), 0); !isFrameType(kind) {
			return fmt.Errorf("field %d has the Arrow type %d, which no field of a frame has", n, kind)
		}
		if o := field.Offset(slot(4)); o != 0 {
			return fmt.Errorf("field %d has a dictionary, which frames do not", n)
		}
		if _, children, err := vector(field, 5, flatbuffers.SizeUOffsetT); err != nil || children > 0 {
			return errors.Join(err, fmt.Errorf("field %d has children, which frames do not", n))
		}
		if field.GetByteSlot(slot(2), 0) == typeTimestamp {
			if timestamp, ok := table(field, 3); ok {
				if err := c.text(timestamp, 1); err != nil {
					return err
				}
			}
		}
		if err := c.metadata(field, 6); err != nil {
			return err
		}
	}
	return nil
}

// record checks the message of a record batch, whose body has the given size.
func (c *checker) record(message []byte, body int64) error {
	prefix := 4
	if binary.LittleEndian.Uint32(message) == continuation {
		prefix = 8
	}
	head := root(message[prefix:])
	if kind := head.GetByteSlot(slot(1), 0); kind != messageRecord {
		return fmt.Errorf("its message is of type %d", kind)
	}
	batch, ok := table(head, 2)
	if !ok {
		return errors.New("it has no header")
	}
	if err := c.metadata(head, 4); err != nil {
		return err
	}
	if batch.Offset(slot(3)) != 0 {
		return errors.New("it is compressed, which is not supported")
	}
	if _, _, err := vector(batch, 4, 8); err != nil {
		return err
	}
	rows := batch.GetInt64Slot(slot(0), 0)
	nodes, columns, err := vector(batch, 1, 16)
	if err != nil {
		return err
	}
	for n := range columns {
		at := nodes + flatbuffers.UOffsetT(n*16)
		if length := batch.GetInt64(at); length != rows || rows < 0 || rows > 8*body {
			return fmt.Errorf("column %d is said to have %d rows in a body of %d bytes", n, length, body)
		}
	}
	start, buffers, err := vector(batch, 2, 16)
	if err != nil {
		return err
	}
	left := body
	for n := range buffers {
		length := batch.GetInt64(start + flatbuffers.UOffsetT(n*16) + 8)
		if length < 0 || length > left {
			return fmt.Errorf("its buffers overlap: buffer %d is said to have %d bytes", n, length)
		}
		left -= length
	}
	return nil
}

// metadata checks the keys and values in a slot of a table.
func (c *checker) metadata(t flatbuffers.Table, number int) error {
	start, pairs, err := vector(t, number, flatbuffers.SizeUOffsetT)
	if err != nil {
		return err
	}
	if err := c.charge(pairs * flatbuffers.SizeUOffsetT); err != nil {
		return err
	}
	for n := range pairs {
		pair := element(t, start, n)
		if err := errors.Join(c.text(pair, 0), c.text(pair, 1)); err != nil {
			return err
		}
	}
	return nil
}

// text checks a string in a slot of a table.
func (c *checker) text(t flatbuffers.Table, number int) error {
	_, n, err := vector(t, number, 1)
	if err != nil {
		return err
	}
	return c.charge(n)
}

// charge counts bytes of the file that something was read from.
func (c *checker) charge(n int) error {
	if c.left -= n; c.left < 0 {
		return errors.New("its names and metadata overlap")
	}
	return nil
}

// slot is the place of a table's entry in its list of offsets.
func slot(number int) flatbuffers.VOffsetT { return flatbuffers.VOffsetT(4 + 2*number) }

func root(buf []byte) flatbuffers.Table {
	return flatbuffers.Table{Bytes: buf, Pos: flatbuffers.GetUOffsetT(buf)}
}

// table returns the table in a slot.
func table(t flatbuffers.Table, number int) (flatbuffers.Table, bool) {
	o := flatbuffers.UOffsetT(t.Offset(slot(number)))
	if o == 0 {
		return flatbuffers.Table{}, false
	}
	return flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(t.Pos + o)}, true
}

// vector returns where the elements in a slot start, and how many there are. It is an
// error when they are not all there.
func vector(t flatbuffers.Table, number, size int) (start flatbuffers.UOffsetT, n int, err error) {
	o := flatbuffers.UOffsetT(t.Offset(slot(number)))
	if o == 0 {
		return 0, 0, nil
	}
	start, n = t.Vector(o), t.VectorLen(o)
	if n > (len(t.Bytes)-int(start))/size {
		return 0, 0, fmt.Errorf("a list is said to have %d elements", n)
	}
	return start, n, nil
}

// element returns a table of a vector of tables.
func element(t flatbuffers.Table, start flatbuffers.UOffsetT, n int) flatbuffers.Table {
	return flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(start + flatbuffers.UOffsetT(n*flatbuffers.SizeUOffsetT))}
}
