package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/jsontype"
	"github.com/slipway-dev/slipway/internal/text"
)

// handler responds to the requests of a route. call and raw make handlers.
type handler struct {
	serve  func(w http.ResponseWriter, r *http.Request, who host.Identity, status int) error
	inputs []input
	output reflect.Type // nil if the handler writes the response itself
}

// call makes a handler from a typed function. The fields of In are read from the
// request:
//
//	ID    int64  `path:"id"`
//	UID   string `path:"uid" noun:"Playlist"` // "Playlist not found" if it is not a valid uid
//	Limit int64  `query:"limit"`              // also bool, string and []string
//	Body  T                                   // the JSON body
//
// Out is the JSON response. An Out with a method status() int chooses its own status.
// who is the zero Identity on a public route.
func call[In, Out any](f func(ctx context.Context, who host.Identity, in In) (Out, error)) handler {
	inputs := inputsOf(reflect.TypeFor[In]())
	serve := func(w http.ResponseWriter, r *http.Request, who host.Identity, status int) error {
		var in In
		if err := readInputs(w, r, inputs, reflect.ValueOf(&in).Elem()); err != nil {
			return err
		}
		out, err := f(withHeaders(r), who, in)
		if err != nil {
			return err
		}
		if own, ok := any(out).(interface{ status() int }); ok {
			status = own.status()
		}
		return respond(w, status, out)
	}
	return handler{serve, inputs, reflect.TypeFor[Out]()}
}

// raw makes a handler from a function that reads the request and writes the response.
func raw(f func(w http.ResponseWriter, r *http.Request, who host.Identity) error) handler {
	return handler{serve: func(w http.ResponseWriter, r *http.Request, who host.Identity, _ int) error {
		return f(w, r, who)
	}}
}

// body returns the type of the JSON body, or nil if the handler reads none.
func (h handler) body() reflect.Type {
	for _, in := range h.inputs {
		if in.from == "body" {
			return in.field.Type
		}
	}
	return nil
}

// none is the input of a function that reads nothing from the request.
type none struct{}

type idPath struct {
	ID int64 `path:"id"`
}

// input is a field that call reads from the request.
type input struct {
	from  string // "path", "query" or "body"
	name  string
	noun  string // for "... not found"
	field reflect.StructField
}

func inputsOf(t reflect.Type) (inputs []input) {
	for _, f := range reflect.VisibleFields(t) {
		if f.Name == "Body" {
			inputs = append(inputs, input{from: "body", field: f})
		}
		for _, from := range []string{"path", "query"} {
			if name, ok := f.Tag.Lookup(from); ok {
				inputs = append(inputs, input{from, name, f.Tag.Get("noun"), f})
			}
		}
	}
	return inputs
}

func readInputs(w http.ResponseWriter, r *http.Request, inputs []input, to reflect.Value) error {
	var values url.Values
	for _, in := range inputs {
		var err error
		field := to.FieldByIndex(in.field.Index)
		switch in.from {
		case "path":
			err = in.readPath(r.PathValue(in.name), field)
		case "query":
			if values == nil {
				values, err = query(r)
			}
			if err == nil {
				err = in.readQuery(values, field)
			}
		case "body":
			err = decode(w, r, field.Addr().Interface())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (in input) readPath(text string, to reflect.Value) error {
	if to.Kind() == reflect.Int64 {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || id < 1 {
			return host.Invalid(in.name, "must be a numeric id")
		}
		to.SetInt(id)
		return nil
	}
	if in.name == "uid" && !host.IsUID(text) || !isPlain(text) {
		return host.NotFound(in.noun)
	}
	to.SetString(text)
	return nil
}

func (in input) readQuery(values url.Values, to reflect.Value) error {
	text := values.Get(in.name)
	switch to.Kind() {
	case reflect.String:
		to.SetString(text)
	case reflect.Slice:
		to.Set(reflect.ValueOf(values[in.name]))
	case reflect.Bool:
		if text == "" {
			return nil
		}
		value, err := strconv.ParseBool(text) // clients in Python send True
		if err != nil {
			return host.Invalid(in.name, "must be true or false")
		}
		to.SetBool(value)
	case reflect.Int64:
		if text == "" {
			return nil
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			return host.Invalid(in.name, "must be a non-negative integer")
		}
		to.SetInt(n)
	}
	return nil
}

func query(r *http.Request) (url.Values, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, host.Invalid("query", "is not a valid query string: %s", err)
	}
	for name, list := range values {
		for _, value := range list {
			if !isPlain(value) {
				return nil, host.Invalid(strconv.Quote(name), "must be valid UTF-8 without NUL")
			}
		}
	}
	return values, nil
}

// isPlain reports whether a database can compare text with what it stores.
func isPlain(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }

// headersKey is the key of the headers of the request in the context of a handler.
type headersKey struct{}

func withHeaders(r *http.Request) context.Context {
	return context.WithValue(r.Context(), headersKey{}, r.Header)
}

func headersOf(ctx context.Context) http.Header {
	header, _ := ctx.Value(headersKey{}).(http.Header)
	return header
}

// pageQuery selects a page of a list. Without a limit, the page has
// gate.DefaultPageLength entries. A limit above gate.MaxPageLength is reduced to it.
type pageQuery struct {
	Limit int64 `query:"limit"`
	Page  int64 `query:"page"`
}

func (q pageQuery) page() store.Page { return store.Page{Limit: q.Limit, Number: q.Page} }

// longPage is page for lists that published clients expect to be complete: without a
// limit, the page is as long as a page can be.
func (q pageQuery) longPage() store.Page {
	return store.Page{Limit: cmp.Or(q.Limit, gate.MaxPageLength), Number: q.Page}
}

// perPageQuery is pageQuery under the names of some lists.
type perPageQuery struct {
	PerPage int64 `query:"perpage"`
	Page    int64 `query:"page"`
}

func (q perPageQuery) page() store.Page { return store.Page{Limit: q.PerPage, Number: q.Page} }

// decode reads a JSON object. It ignores unknown keys, since published clients send some.
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
		line, column := text.LineColumn(raw, int(syntax.Offset)-1)
		return host.Invalid("body", "invalid JSON at line %d, column %d: %s", line, column, syntax)
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
