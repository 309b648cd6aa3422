// Package jsontype provides the names of JSON types for messages such as "must be a
// boolean, found a string".
//
// The caller provides the rest of the sentence.
package jsontype

import (
	"fmt"
	"reflect"
)

// Name returns the name of a JSON type with its article, such as "an object". It
// accepts the names that JSON Schema and json.UnmarshalTypeError use.
func Name(kind string) string {
	switch kind {
	case "null":
		return "null"
	case "bool":
		return "a boolean"
	case "array", "integer", "object":
		return "an " + kind
	}
	return "a " + kind
}

// Of returns the name of the JSON type that encoding/json decodes into a Go type.
func Of(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return Of(t.Elem())
	case reflect.Bool:
		return "a boolean"
	case reflect.String:
		return "a string"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "an integer" + limit(t)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a non-negative integer" + limit(t)
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "another type"
}

// limit describes the size of an integer type, unless it has the common one.
func limit(t reflect.Type) string {
	if t.Bits() == 64 {
		return ""
	}
	return fmt.Sprintf(" of at most %d bits", t.Bits())
}
