package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/internal/jsontype"
)

// decode reads a JSON object into a pointer. Unknown keys are ignored: published clients
// send some.
func decode(w http.ResponseWriter, r *http.Request, into any) error {
	text, err := readJSON(w, r)
	if err != nil {
		return err
	}
	if len(text) > host.FreeBody { // the others are decoded in less than a time slice
		out := w.(*response)
		decoding := out.budgets.decoding.share(out.caller())
		defer decoding.release()
		if err := decoding.grow(r.Context(), decodedSize*int64(len(text))); err != nil {
			return err
		}
		end, err := out.budgets.processors.take(r.Context(), out.caller())
		if err != nil {
			return err
		}
		defer end()
		if counted, ok := into.(interface{ checkCount(text []byte) error }); ok {
			if err := counted.checkCount(text); err != nil {
				return err
			}
		}
	}
	return bodyError(text, json.Unmarshal(text, into))
}

// length is the number of elements of a JSON array, or 1 if it is empty. Counting them takes a
// fraction of the time and memory of decoding them. Of several arrays, the longest counts.
type length int

// UnmarshalJSON implements json.Unmarshaler.
func (n *length) UnmarshalJSON(value []byte) error {
	if value[0] != '[' {
		return nil
	}
	depth, found, isText := 0, 1, false
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case isText && c == '\\':
			i++
		case c == '"':
			isText = !isText
		case isText:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == ',' && depth == 1:
			found++
		}
	}
	*n = max(*n, length(found))
	return nil
}

// decodedSize is how many times the size of a JSON document its values take, at most: an item
// of a playlist can be written in 3 bytes.
const decodedSize = 32

// readJSON returns the body if it is declared as JSON and not empty.
func readJSON(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	raw, err := readBody(w, r, host.MaxBody)
	if err != nil {
		return nil, err
	}
	raw = bytes.TrimSpace(raw)
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case len(raw) == 0:
		return nil, host.Invalid("body", "must be a JSON object, but is empty")
	case err != nil || media != "application/json":
		return nil, &host.Error{Category: errNotJSON, Field: "body",
			Message: "must be JSON with the header Content-Type: application/json"}
	case !utf8.Valid(raw):
		return nil, host.Invalid("body", "must be valid UTF-8")
	case string(raw) == "null":
		return nil, host.Invalid("body", "must be an object, found null")
	}
	return raw, nil
}

// limitBodyTime sets a deadline for the body of a request, whether the handler reads it
// or not. readBody removes it.
func (a *API) limitBodyTime(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(a.bodyTime)) // not supported by the recorder of tests
	}
}

// limitRestTime sets a deadline for what the handler did not read of a body: the server
// reads it, before it sends a short response, so that the connection can be used again. On a
// public route, the deadline applies to the whole body.
func (a *API) limitRestTime(w *response, r *http.Request) {
	if r.ContentLength != 0 && !w.hasBody && !w.isHijacked {
		rest := min(host.RestOfBody, a.bodyTime)
		if w.status == http.StatusUnauthorized { // do not wait for what a stranger has not sent yet
			rest = 0
		}
		_ = w.control.SetReadDeadline(time.Now().Add(rest)) // not supported by the recorder of tests
	}
}

// readBody returns a body of at most limit bytes. Then it removes the deadline for
// reading, so that the response may take as long as it needs.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	raw, err := readAll(r.Context(), http.MaxBytesReader(w, r.Body, limit), r.ContentLength, limit, w.(*response).holdBody)
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, &host.Error{Category: errTooLarge, Field: "body",
			Message: fmt.Sprintf("must not be larger than %d bytes", tooLarge.Limit)}
	}
	if refusal, ok := errors.AsType[*host.Error](err); ok {
		return nil, refusal
	}
	if errors.Is(err, context.Canceled) { // the client left while the body waited for memory
		return nil, err
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, &host.Error{Category: errTooSlow, Field: "body", Message: "did not arrive in time"}
	}
	if err != nil {
		return nil, host.Invalid("body", "is incomplete")
	}
	out := w.(*response)
	out.hasBody = true
	_ = out.control.SetReadDeadline(time.Time{})
	return raw, nil
}

// readAll reads at most limit bytes. It asks hold for each part of the memory that it
// allocates. size is the expected number of bytes, or -1.
func readAll(ctx context.Context, r io.Reader, size, limit int64, hold func(context.Context, int64) error) ([]byte, error) {
	if size > limit { // r returns an error
		_, err := io.Copy(io.Discard, r)
		return nil, err
	}
	if size < 0 {
		size = limit
	}
	size++ // so that the last read meets the end
	text := make([]byte, 0, min(size, host.FreeBody))
	for {
		if len(text) == cap(text) {
			grown := min(2*int64(cap(text)), size)
			if err := hold(ctx, grown-int64(cap(text))); err != nil {
				return nil, err
			}
			text = append(make([]byte, 0, grown), text...)
		}
		n, err := r.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if err == io.EOF {
			return text, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// bodyError reports where and why a body is invalid.
func bodyError(raw []byte, err error) error {
	if err == nil {
		return nil
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return host.Invalid(fieldAt(raw, wrong.Offset), "must be %s, found %s", jsontype.Of(wrong.Type), found(wrong.Value))
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		before := raw[:min(int(syntax.Offset), len(raw))]
		line := 1 + bytes.Count(before, []byte("\n"))
		column := len(before) - bytes.LastIndexByte(before, '\n') - 1
		return host.Invalid("body", "invalid JSON at line %d, column %d: %s", line, max(column, 1), syntax)
	}
	return host.Invalid("body", "invalid JSON: %s", err)
}

// found describes the JSON value that a json.UnmarshalTypeError names.
func found(value string) string {
	number, isNumber := strings.CutPrefix(value, "number ")
	switch {
	case isNumber && len(number) > 30:
		return "the number " + number[:30] + "..."
	case isNumber:
		return "the number " + number
	}
	return jsontype.Name(value)
}

// fieldAt returns the path of the value that ends or opens at an offset of a valid JSON
// text, such as "items[0].type", or "body" for the whole text.
func fieldAt(raw []byte, offset int64) string {
	type level struct {
		key     string
		index   int
		isArray bool
		isKey   bool // the next token is a key
	}
	var stack []level
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return "body"
		}
		top := len(stack) - 1
		if top >= 0 && stack[top].isKey && token != json.Delim('}') {
			stack[top].key, stack[top].isKey = token.(string), false
			continue
		}
		if d.InputOffset() >= offset {
			break
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			stack = append(stack, level{isArray: token == json.Delim('['), isKey: token == json.Delim('{')})
			continue
		case json.Delim('}'), json.Delim(']'):
			stack = stack[:top]
			top--
		}
		if top >= 0 { // a value is complete
			stack[top].index++
			stack[top].isKey = !stack[top].isArray
		}
	}
	var path strings.Builder
	for _, l := range stack {
		switch {
		case l.isArray:
			path.WriteString("[" + strconv.Itoa(l.index) + "]")
		case path.Len() > 0:
			path.WriteString("." + l.key)
		default:
			path.WriteString(l.key)
		}
	}
	if path.Len() == 0 {
		return "body"
	}
	return path.String()
}
