package jsontype

import (
	"reflect"
	"testing"
)

func TestName(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{
		"string": "a string", "number": "a number", "bool": "a boolean", "boolean": "a boolean",
		"array": "an array", "object": "an object", "integer": "an integer", "null": "null",
	} {
		if got := Name(kind); got != want {
			t.Errorf("Name(%q) = %q, want %q", kind, got, want)
		}
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value any
		want  string
	}{
		{true, "a boolean"}, {"", "a string"}, {[]int{}, "an array"}, {[2]int{}, "an array"},
		{struct{}{}, "an object"}, {map[string]int{}, "an object"}, {new("x"), "a string"},
		{0, "an integer"}, {int8(0), "an integer of at most 8 bits"}, {uint16(0), "a non-negative integer of at most 16 bits"},
		{1.5, "a number"}, {func() {}, "another type"},
	} {
		if got := Of(reflect.TypeOf(c.value)); got != c.want {
			t.Errorf("Of(%T) = %q, want %q", c.value, got, c.want)
		}
	}
}
