package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/internal/jsontype"
)

// decode reads a JSON object into a pointer. Unknown keys are ignored: published clients
// send some.
func decode(w http.ResponseWriter, r *http.Request, into any) error {
	text, err := readJSON(w, r)
	if err != nil {
		return err
	}
	return bodyError(text, json.Unmarshal(text, into))
}

// readJSON returns the body if it is declared as JSON and not empty.
func readJSON(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	raw, err := readBody(w, r, gate.MaxBody)
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

// readBody returns a body of at most limit bytes.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, &host.Error{Category: errTooLarge, Field: "body",
			Message: fmt.Sprintf("must not be larger than %d bytes", tooLarge.Limit)}
	}
	if errors.Is(err, gate.ErrSlow) {
		return nil, &host.Error{Category: errTooSlow, Field: "body", Message: "did not arrive in time"}
	}
	if err != nil {
		return nil, host.Invalid("body", "is incomplete")
	}
	return raw, nil
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
