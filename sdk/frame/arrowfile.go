package frame

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	flatbuffers "github.com/google/flatbuffers/go"
)

// arrowFile is an Arrow IPC file whose schema has been read and whose record batches
// lie within it.
//
// Reading it checks each length before anything of that length is allocated, since a
// file of a few hundred bytes can request more memory than is available, and a program
// cannot recover from that.
//
// Lists that Parse does not use are checked as well, because other readers trust their
// lengths.
//
// The slots are those of the tables in Arrow's File.fbs, Schema.fbs and Message.fbs.
type arrowFile struct {
	bytes  []byte
	schema schema
	blocks []block
	left   int // bytes that names and metadata may still take: no two may share one
	values int // that the record batches may still have
}

type block struct{ at, metaSize, bodySize int }

// recoverDamage makes an error of flatbuffers' panic at an offset outside of the file.
func recoverDamage(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("damaged file: %v", p)
	}
}

func openArrow(file []byte) (_ *arrowFile, err error) {
	defer recoverDamage(&err)
	end := len(file) - 4 - len(magic) // length of the footer, magic
	if end < start || !bytes.HasPrefix(file, []byte(magic)) || !bytes.HasSuffix(file, []byte(magic)) {
		return nil, errors.New("not an Arrow file")
	}
	size := int(int32(binary.LittleEndian.Uint32(file[end:])))
	if size < flatbuffers.SizeUOffsetT || size > end {
		return nil, fmt.Errorf("invalid footer of %d bytes", size)
	}
	a := &arrowFile{bytes: file, left: len(file)}
	footer := rootTable(file[end-size : end])
	s, ok := tableIn(footer, 1)
	if !ok {
		return nil, errors.New("missing schema")
	}
	if err := a.readSchema(s); err != nil {
		return nil, err
	}
	if _, n, err := vectorIn(footer, 2, 24); err != nil || n > 0 {
		return nil, errors.Join(err, errors.New("dictionaries are not supported"))
	}
	if _, err := a.metadata(footer, 4); err != nil {
		return nil, err
	}
	return a, a.readBlocks(footer)
}

func (a *arrowFile) readBlocks(footer flatbuffers.Table) error {
	first, n, err := vectorIn(footer, 3, 24)
	if err != nil {
		return err
	}
	size := int64(len(a.bytes))
	left := size
	for i := range n {
		at := first + flatbuffers.UOffsetT(i*24)
		offset, meta, body := footer.GetInt64(at), int64(footer.GetInt32(at+8)), footer.GetInt64(at+16)
		if offset < 0 || meta < 8 || body < 0 || meta > left || body > left-meta || offset > size-meta-body {
			return fmt.Errorf("record batch %d: invalid position: offset %d, %d and %d bytes", i, offset, meta, body)
		}
		left -= meta + body
		a.blocks = append(a.blocks, block{int(offset), int(meta), int(body)})
	}
	return nil
}

func (a *arrowFile) readSchema(t flatbuffers.Table) (err error) {
	if t.GetInt16Slot(slot(0), 0) != 0 {
		return errors.New("big-endian files are not supported")
	}
	if a.schema.metadata, err = a.metadata(t, 2); err != nil {
		return err
	}
	if _, _, err := vectorIn(t, 3, 8); err != nil { // features
		return err
	}
	first, fields, err := vectorIn(t, 1, flatbuffers.SizeUOffsetT)
	if err != nil {
		return err
	}
	if err := a.charge(fields * flatbuffers.SizeUOffsetT); err != nil {
		return err
	}
	for n := range fields {
		f, err := a.field(elementOf(t, first, n))
		if err != nil {
			return fmt.Errorf("field %d: %w", n, err)
		}
		a.schema.fields = append(a.schema.fields, f)
	}
	return nil
}

func (a *arrowFile) field(t flatbuffers.Table) (f schemaField, err error) {
	if f.name, err = a.text(t, 0); err != nil {
		return f, err
	}
	if f.metadata, err = a.metadata(t, 6); err != nil {
		return f, err
	}
	if t.Offset(slot(4)) != 0 {
		return f, errors.New("dictionaries are not supported")
	}
	if _, children, err := vectorIn(t, 5, flatbuffers.SizeUOffsetT); err != nil || children > 0 {
		return f, errors.Join(err, errors.New("nested fields are not supported"))
	}
	f.nullable = t.GetBoolSlot(slot(1), false)
	if f.kind, err = kindOf(t, find(f.metadata, "tstype")); err != nil {
		return f, err
	}
	if timestamp, ok := tableIn(t, 3); ok && f.kind.arrow == arrowTimestamp {
		_, err = a.text(timestamp, 1) // the time zone
	}
	return f, err
}

func kindOf(field flatbuffers.Table, family string) (kind, error) {
	arrow := field.GetByteSlot(slot(2), 0)
	t, ok := tableIn(field, 3)
	if !ok {
		return kind{}, errors.New("missing type")
	}
	switch arrow {
	case arrowInt:
		bits := t.GetInt32Slot(slot(0), 0)
		isSigned := t.GetBoolSlot(slot(1), false)
		switch {
		case bits != 8 && bits != 16 && bits != 32 && bits != 64:
			return kind{}, fmt.Errorf("unsupported integer of %d bits", bits)
		case isSigned:
			return signed(bits), nil
		case bits == enum().bits && family == enum().family:
			return enum(), nil
		}
		return unsigned(bits), nil
	case arrowFloat:
		switch precision := t.GetInt16Slot(slot(0), 0); precision {
		case 1, 2:
			return floating(32 * int32(precision)), nil
		}
		return kind{}, errors.New("unsupported floating-point precision")
	case arrowTimestamp:
		if t.GetInt16Slot(slot(0), 0) != nanoseconds {
			return kind{}, errors.New("timestamps must be in nanoseconds")
		}
		return timestamp(), nil
	case arrowBinary:
		return rawJSON(), nil
	case arrowUtf8:
		return text(), nil
	case arrowBool:
		return boolean(), nil
	}
	return kind{}, fmt.Errorf("unsupported Arrow type %d", arrow)
}

// recordBatch is a record batch whose columns are read in order.
type recordBatch struct {
	flatbuffers.Table
	rows    int
	columns int
	nodes   flatbuffers.UOffsetT // of the columns

	body    []byte
	buffer  flatbuffers.UOffsetT // of the next one
	buffers int                  // not read yet
	left    int64                // bytes of the body that they may take
}

func (a *arrowFile) recordBatch(b block) (*recordBatch, error) {
	message := a.bytes[b.at : b.at+b.metaSize]
	from := 4
	if binary.LittleEndian.Uint32(message) == continuation {
		from = prefix
	}
	head := rootTable(message[from:])
	if kind := head.GetByteSlot(slot(1), 0); kind != headerRecord {
		return nil, fmt.Errorf("unexpected message of type %d", kind)
	}
	t, ok := tableIn(head, 2)
	if !ok {
		return nil, errors.New("missing header")
	}
	if _, err := a.metadata(head, 4); err != nil {
		return nil, err
	}
	if _, _, err := vectorIn(t, 4, 8); err != nil { // variadic buffer counts
		return nil, err
	}
	if t.Offset(slot(3)) != 0 {
		return nil, errors.New("compression is not supported")
	}
	r := &recordBatch{Table: t, body: a.bytes[b.at+b.metaSize:][:b.bodySize], left: int64(b.bodySize)}
	rows := t.GetInt64Slot(slot(0), 0)
	var err error
	if r.nodes, r.columns, err = vectorIn(t, 1, 16); err != nil {
		return nil, err
	}
	if r.columns > 0 && (rows < 0 || rows > 8*int64(b.bodySize)) {
		return nil, fmt.Errorf("invalid length: %d rows in %d bytes", rows, b.bodySize)
	}
	r.rows = int(rows)
	r.buffer, r.buffers, err = vectorIn(t, 2, 16)
	return r, err
}

// column returns the buffers of column n.
func (r *recordBatch) column(n int, k kind) (c columnData, err error) {
	node := r.nodes + flatbuffers.UOffsetT(n*16)
	if length := r.GetInt64(node); length != int64(r.rows) {
		return c, fmt.Errorf("the number of rows is %d, expected %d", length, r.rows)
	}
	c.rows = r.rows
	valid, err := r.next()
	if err != nil {
		return c, err
	}
	if nulls := r.GetInt64(node + 8); nulls != 0 && len(valid) > 0 {
		c.valid = valid
		if len(valid) < (c.rows+7)/8 {
			return c, errors.New("validity buffer is too short")
		}
	}
	if k.arrow == arrowUtf8 || k.arrow == arrowBinary {
		if c.offsets, err = r.next(); err != nil {
			return c, err
		}
		if c.rows > 0 && len(c.offsets) < 4*(c.rows+1) {
			return c, errors.New("offset buffer is too short")
		}
		c.data, err = r.next()
		return c, err
	}
	if c.data, err = r.next(); err != nil {
		return c, err
	}
	size := (c.rows*int(k.bits) + 7) / 8
	if len(c.data) < size {
		return c, errors.New("data buffer is too short")
	}
	c.data = c.data[:size] // without padding
	return c, nil
}

func (r *recordBatch) next() ([]byte, error) {
	if r.buffers == 0 {
		return nil, errors.New("missing buffer")
	}
	at, length := r.GetInt64(r.buffer), r.GetInt64(r.buffer+8)
	if at < 0 || length < 0 || length > r.left || at > int64(len(r.body))-length {
		return nil, fmt.Errorf("invalid buffer: offset %d, %d bytes", at, length)
	}
	r.buffers--
	r.buffer += 16
	r.left -= length // buffers do not overlap
	return r.body[at : at+length], nil
}

// metadata reads the keys and values in a slot of a table.
func (a *arrowFile) metadata(t flatbuffers.Table, number int) ([]entry, error) {
	first, pairs, err := vectorIn(t, number, flatbuffers.SizeUOffsetT)
	if err != nil {
		return nil, err
	}
	if err := a.charge(pairs * flatbuffers.SizeUOffsetT); err != nil {
		return nil, err
	}
	var entries []entry
	for n := range pairs {
		pair := elementOf(t, first, n)
		key, err := a.text(pair, 0)
		if err != nil {
			return nil, err
		}
		value, err := a.text(pair, 1)
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{key, value})
	}
	return entries, nil
}

// text reads a string in a slot of a table.
func (a *arrowFile) text(t flatbuffers.Table, number int) (string, error) {
	first, n, err := vectorIn(t, number, 1)
	if err != nil {
		return "", err
	}
	if err := a.charge(n); err != nil {
		return "", err
	}
	return string(t.Bytes[first:][:n]), nil
}

// charge counts bytes of the file that something was read from.
func (a *arrowFile) charge(n int) error {
	if a.left -= n; a.left < 0 {
		return errors.New("names and metadata overlap")
	}
	return nil
}

// slot returns the position of a table's entry in its list of offsets.
func slot(number int) flatbuffers.VOffsetT { return flatbuffers.VOffsetT(4 + 2*number) }

func rootTable(buf []byte) flatbuffers.Table {
	return flatbuffers.Table{Bytes: buf, Pos: flatbuffers.GetUOffsetT(buf)}
}

func tableIn(t flatbuffers.Table, number int) (flatbuffers.Table, bool) {
	o := flatbuffers.UOffsetT(t.Offset(slot(number)))
	if o == 0 {
		return flatbuffers.Table{}, false
	}
	return flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(t.Pos + o)}, true
}

// vectorIn returns where the elements in a slot start and how many there are. It
// returns an error unless all of them, of size bytes each, lie within the file.
func vectorIn(t flatbuffers.Table, number, size int) (first flatbuffers.UOffsetT, n int, err error) {
	o := flatbuffers.UOffsetT(t.Offset(slot(number)))
	if o == 0 {
		return 0, 0, nil
	}
	first, n = t.Vector(o), t.VectorLen(o)
	if n > (len(t.Bytes)-int(first))/size {
		return 0, 0, fmt.Errorf("invalid vector of %d elements", n)
	}
	return first, n, nil
}

// elementOf returns a table of a vector of tables.
func elementOf(t flatbuffers.Table, first flatbuffers.UOffsetT, n int) flatbuffers.Table {
	return flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(first + flatbuffers.UOffsetT(n*flatbuffers.SizeUOffsetT))}
}
