package api

import (
	"context"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/host"
)

// Handler responds to the requests of a route. The functions call and raw return
// Handlers.
type Handler struct {
	serve  func(w http.ResponseWriter, r *http.Request, who host.Identity, status int) error
	inputs []input
	output reflect.Type // nil if the handler writes the response itself
}

// call makes a Handler from a typed function. The fields of In are read from the
// request:
//
//	ID    int64  `path:"id"`
//	UID   string `path:"uid" noun:"Playlist"` // "Playlist not found" if it is not a valid uid
//	Limit int64  `query:"limit"`              // also bool, string and []string
//	Body  T                                   // the JSON body
//
// Out is the JSON response. An Out with a method status() int chooses its own status, and
// one with a method respond writes itself.
// who is the zero Identity on a public route.
func call[In, Out any](f func(ctx context.Context, who host.Identity, in In) (Out, error)) Handler {
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
		if own, ok := any(out).(interface {
			respond(http.ResponseWriter, int) error
		}); ok {
			return own.respond(w, status)
		}
		return respond(w, status, out)
	}
	return Handler{serve, inputs, reflect.TypeFor[Out]()}
}

// raw makes a Handler from a function that reads the request and writes the response
// itself.
func raw(f func(w http.ResponseWriter, r *http.Request, who host.Identity) error) Handler {
	return Handler{serve: func(w http.ResponseWriter, r *http.Request, who host.Identity, _ int) error {
		return f(w, r, who)
	}}
}

// body returns the type of the JSON body, or nil if the handler reads none.
func (h Handler) body() reflect.Type {
	for _, in := range h.inputs {
		if in.from == "body" {
			return in.field.Type
		}
	}
	return nil
}

// none is the input of a function that reads nothing from the request.
type none struct{}

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

// query returns the parameters of the URL.
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
