package frame

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Constants from Arrow's Schema.fbs, Message.fbs and File.fbs.
const (
	arrowInt       = 2
	arrowFloat     = 3
	arrowBinary    = 4
	arrowUtf8      = 5
	arrowBool      = 6
	arrowTimestamp = 10

	headerSchema = 1
	headerRecord = 3

	version5    = 4
	nanoseconds = 3 // unit of a timestamp
)

const (
	magic        = "ARROW1"
	start        = 8          // the magic, padded
	continuation = 0xffffffff // before the length of a message; length 0 ends the messages
	prefix       = 8          // continuation, length

	refIDKey = "refId" // in the metadata of the schema
)

type kind struct {
	name   string // in the JSON
	family string // the type in browsers
	arrow  byte
	bits   int32 // of a value; 0 if it varies
	signed bool
}

func signed(bits int32) kind {
	return kind{name: fmt.Sprint("int", bits), family: "number", arrow: arrowInt, bits: bits, signed: true}
}

func unsigned(bits int32) kind {
	return kind{name: fmt.Sprint("uint", bits), family: "number", arrow: arrowInt, bits: bits}
}

func floating(bits int32) kind {
	return kind{name: fmt.Sprint("float", bits), family: "number", arrow: arrowFloat, bits: bits}
}

func enum() kind    { return kind{name: "enum", family: "enum", arrow: arrowInt, bits: 16} }
func text() kind    { return kind{name: "string", family: "string", arrow: arrowUtf8} }
func boolean() kind { return kind{name: "bool", family: "boolean", arrow: arrowBool, bits: 1} }
func timestamp() kind {
	return kind{name: "time.Time", family: "time", arrow: arrowTimestamp, bits: 64}
}
func rawJSON() kind { return kind{name: "json.RawMessage", family: "other", arrow: arrowBinary} }

// MarshalArrow returns the frame as an Arrow IPC file with one record batch. It returns an
// error if fields differ in length, a field is nil, a time is out of range, a
// json.RawMessage is invalid, or the strings of a field take more than 2 GB.
func (f *Frame) MarshalArrow() ([]byte, error) {
	if f == nil {
		return nil, errors.New("encode frame as Arrow: nil frame")
	}
	file, err := f.arrow()
	if err != nil {
		return nil, fmt.Errorf("encode frame %q as Arrow: %w", f.Name, err)
	}
	return file, nil
}

// arrow computes the layout of the file first, so that it allocates the file once.
func (f *Frame) arrow() ([]byte, error) {
	vectors, rows, err := f.vectors()
	if err != nil {
		return nil, err
	}
	s, err := f.schema(vectors)
	if err != nil {
		return nil, err
	}
	body, err := planBody(vectors)
	if err != nil {
		return nil, err
	}
	schema := message(headerSchema, 0, s.build)
	record := message(headerRecord, body.size, func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
		return body.build(b, vectors, rows)
	})
	recordAt := start + prefix + len(schema)
	bodyAt := recordAt + prefix + len(record)
	foot := footer(s, []block{{recordAt, prefix + len(record), body.size}})
	endAt := bodyAt + body.size

	file := make([]byte, start, endAt+prefix+len(foot)+4+len(magic))
	copy(file, magic)
	file = appendMessage(file, schema)
	file = appendMessage(file, record)[:endAt]
	if err := body.put(file[bodyAt:endAt], vectors); err != nil {
		return nil, err
	}
	return appendFooter(file, foot), nil
}

func appendMessage(to, message []byte) []byte {
	to = binary.LittleEndian.AppendUint32(to, continuation)
	to = binary.LittleEndian.AppendUint32(to, uint32(len(message)))
	return append(to, message...)
}

// appendFooter appends the end of the messages and all that follows it.
func appendFooter(to, footer []byte) []byte {
	to = append(appendMessage(to, nil), footer...)
	to = binary.LittleEndian.AppendUint32(to, uint32(len(footer)))
	return append(to, magic...)
}

type span struct{ at, size int }

func (s span) of(body []byte) []byte { return body[s.at : s.at+s.size] }

// columnSpans are the buffers of a column.
type columnSpans struct{ valid, offsets, data span }

// body is the layout of the body of a record batch.
type body struct {
	columns []columnSpans
	size    int
}

func planBody(vectors []*vector) (body, error) {
	b := body{columns: make([]columnSpans, len(vectors))}
	add := func(size int) span {
		s := span{b.size, size}
		b.size += padded(size)
		return s
	}
	for n, v := range vectors {
		offsets, data, err := v.size(v.valid)
		if err != nil {
			return body{}, fieldError(n, v, err)
		}
		b.columns[n] = columnSpans{add(len(v.valid)), add(offsets), add(data)}
	}
	return b, nil
}

func padded(size int) int { return (size + 7) &^ 7 }

func (b body) put(to []byte, vectors []*vector) error {
	for n, v := range vectors {
		c := b.columns[n]
		copy(c.valid.of(to), v.valid)
		if err := v.put(v.valid, c.offsets.of(to), c.data.of(to)); err != nil {
			return fieldError(n, v, err)
		}
	}
	return nil
}

// build builds the RecordBatch: rows and nulls of each field, and all buffers.
func (b body) build(to *flatbuffers.Builder, vectors []*vector, rows int) flatbuffers.UOffsetT {
	var buffers []span
	for _, c := range b.columns {
		buffers = append(buffers, c.valid)
		if c.offsets.size > 0 {
			buffers = append(buffers, c.offsets)
		}
		buffers = append(buffers, c.data)
	}
	nodes := pairs(to, len(vectors), func(n int) (int, int) { return rows, vectors[n].nulls })
	places := pairs(to, len(buffers), func(n int) (int, int) { return buffers[n].at, buffers[n].size })
	to.StartObject(5)
	to.PrependInt64Slot(0, int64(rows), 0)
	to.PrependUOffsetTSlot(1, nodes, 0)
	to.PrependUOffsetTSlot(2, places, 0)
	return to.EndObject()
}

// pairs makes a vector of structs of two int64.
func pairs(b *flatbuffers.Builder, n int, pair func(int) (first, second int)) flatbuffers.UOffsetT {
	b.StartVector(16, n, 8)
	for i := n - 1; i >= 0; i-- {
		first, second := pair(i)
		b.Prep(8, 16)
		b.PrependInt64(int64(second))
		b.PrependInt64(int64(first))
	}
	return b.EndVector(n)
}

// schema is the frame without its values. It is in a message and in the footer.
type schema struct {
	metadata []entry
	fields   []schemaField
}

type schemaField struct {
	name     string
	kind     kind
	nullable bool
	metadata []entry
}

type entry struct{ key, value string }

// schema returns the schema, or an error if Meta, a Config or labels cannot be encoded.
func (f *Frame) schema(vectors []*vector) (s schema, err error) {
	size := 0
	text := func(t string) string {
		t = utf8Text(t)
		size += len(t)
		return t
	}
	s.metadata = []entry{{"name", text(f.Name)}, {refIDKey, text(f.RefID)}}
	if f.Meta != nil {
		meta, err := json.Marshal(f.Meta)
		if err != nil {
			return schema{}, fmt.Errorf("meta: %w", err)
		}
		s.metadata = append(s.metadata, entry{"meta", text(string(meta))})
	}
	for n, v := range vectors {
		field := schemaField{name: text(v.Name), kind: v.kind, nullable: v.nullable}
		if v.Config != nil {
			config, err := json.Marshal(v.Config)
			if err != nil {
				return schema{}, fieldError(n, v, fmt.Errorf("config: %w", err))
			}
			field.metadata = append(field.metadata, entry{"config", text(string(config))})
		}
		if v.Labels != nil {
			labels, err := json.Marshal(v.Labels)
			if err != nil {
				return schema{}, fieldError(n, v, fmt.Errorf("labels: %w", err))
			}
			field.metadata = append(field.metadata, entry{"labels", text(string(labels))})
		}
		field.metadata = append(field.metadata, entry{"tstype", v.kind.family})
		s.fields = append(s.fields, field)
	}
	if size > math.MaxInt32/4 { // far below where flatbuffers panics
		return schema{}, errors.New("names, labels, config and meta take more than 512 MB")
	}
	return s, nil
}

// build builds the Schema.
func (s schema) build(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	list := make([]flatbuffers.UOffsetT, len(s.fields))
	for n, f := range s.fields {
		list[n] = f.build(b)
	}
	fields := b.CreateVectorOfTables(list)
	metadata := buildMetadata(b, s.metadata)
	b.StartObject(4) // slot 0: little-endian
	b.PrependUOffsetTSlot(1, fields, 0)
	b.PrependUOffsetTSlot(2, metadata, 0)
	return b.EndObject()
}

// build builds the Field. Some readers require the list of children.
func (f schemaField) build(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	name := b.CreateString(f.name)
	kind := f.kind.build(b)
	children := b.CreateVectorOfTables(nil)
	metadata := buildMetadata(b, f.metadata)
	b.StartObject(7)
	b.PrependUOffsetTSlot(0, name, 0)
	b.PrependBoolSlot(1, f.nullable, false)
	b.PrependByteSlot(2, f.kind.arrow, 0)
	b.PrependUOffsetTSlot(3, kind, 0)
	b.PrependUOffsetTSlot(5, children, 0)
	b.PrependUOffsetTSlot(6, metadata, 0)
	return b.EndObject()
}

// build builds the table of the type.
func (k kind) build(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	b.StartObject(2)
	switch k.arrow {
	case arrowInt:
		b.PrependInt32Slot(0, k.bits, 0)
		b.PrependBoolSlot(1, k.signed, false)
	case arrowFloat:
		b.PrependInt16Slot(0, int16(k.bits/32), 0) // 1 is single, 2 is double precision
	case arrowTimestamp:
		b.PrependInt16Slot(0, nanoseconds, 0)
	}
	return b.EndObject()
}

func buildMetadata(b *flatbuffers.Builder, entries []entry) flatbuffers.UOffsetT {
	list := make([]flatbuffers.UOffsetT, len(entries))
	for n, e := range entries {
		key, value := b.CreateString(e.key), b.CreateString(e.value)
		b.StartObject(2)
		b.PrependUOffsetTSlot(0, key, 0)
		b.PrependUOffsetTSlot(1, value, 0)
		list[n] = b.EndObject()
	}
	return b.CreateVectorOfTables(list)
}

// message returns a Message, padded to a multiple of 8 bytes.
func message(header byte, bodySize int, build func(*flatbuffers.Builder) flatbuffers.UOffsetT) []byte {
	b := flatbuffers.NewBuilder(1024)
	at := build(b)
	b.StartObject(5)
	b.PrependInt16Slot(0, version5, 0)
	b.PrependByteSlot(1, header, 0)
	b.PrependUOffsetTSlot(2, at, 0)
	b.PrependInt64Slot(3, int64(bodySize), 0)
	b.Finish(b.EndObject())
	made := b.FinishedBytes()
	return append(made, make([]byte, padded(len(made))-len(made))...)
}

// footer returns the Footer: the schema, and the positions of the record batches.
func footer(s schema, list []block) []byte {
	b := flatbuffers.NewBuilder(1024)
	schema := s.build(b)
	b.StartVector(24, 0, 8)
	dictionaries := b.EndVector(0)
	b.StartVector(24, len(list), 8)
	for _, block := range slices.Backward(list) {
		b.Prep(8, 24)
		b.PrependInt64(int64(block.bodySize))
		b.Pad(4)
		b.PrependInt32(int32(block.metaSize))
		b.PrependInt64(int64(block.at))
	}
	blocks := b.EndVector(len(list))
	b.StartObject(5)
	b.PrependInt16Slot(0, version5, 0)
	b.PrependUOffsetTSlot(1, schema, 0)
	b.PrependUOffsetTSlot(2, dictionaries, 0)
	b.PrependUOffsetTSlot(3, blocks, 0)
	b.Finish(b.EndObject())
	return b.FinishedBytes()
}

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
