// Package arrow reads the frames of a response, which plugins send as Arrow IPC files,
// with the library that existing hosts use.
package arrow

import (
	"errors"
	"fmt"
	"math"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/slipway-dev/slipway/sdk/frame"
)

// Decode reads a frame from an Arrow IPC file with any number of record batches. Its
// columns may contain numbers, strings, booleans, timestamps and binary; compression
// and dictionaries are not supported. Decode does not panic, and the memory that it
// allocates is proportional to the size of the file.
func Decode(file []byte) (*data.Frame, error) { return DecodeAtMost(file, math.MaxInt) }

// ErrTooLarge is the error for a frame with too many values.
var ErrTooLarge = errors.New("the frame has too many values")

// DecodeAtMost is like Decode, but returns ErrTooLarge if the frame has more than the given
// number of values. A value takes up to 400 times as much memory as in the file: there, a boolean
// is one bit.
func DecodeAtMost(file []byte, values int) (f *data.Frame, err error) {
	_, err = frame.ParseAtMost(file, values) // the data package trusts the lengths in the file
	if errors.Is(err, frame.ErrTooLarge) {
		return nil, ErrTooLarge
	}
	if err != nil {
		return nil, fmt.Errorf("decode Arrow file: %w", err)
	}
	defer func() {
		if p := recover(); p != nil {
			f, err = nil, fmt.Errorf("decode Arrow file: damaged file: %v", p)
		}
	}()
	if f, err = data.UnmarshalArrowFrame(file); err != nil {
		return nil, fmt.Errorf("decode Arrow file: %w", err)
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
