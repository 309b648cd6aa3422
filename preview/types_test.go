package preview

import (
	"cmp"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"testing"
)

// TestTypes requires that the page declares what the server sends: the fields of the Go types, in their order. The tag
// "ts" has the type of a field that is narrower there.
func TestTypes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, name string
		sent       any
	}{
		{"boot/boot.ts", "Boot", boot{}},
		{"panels/stories.ts", "Story", story{}},
		{"refresh/events.ts", "BuildMessage", Message{}},
	} {
		declared := "interface " + c.name + " {\n"
		for f := range reflect.TypeOf(c.sent).Fields() {
			declared += fmt.Sprintf("  %s: %s;\n", f.Tag.Get("json"), cmp.Or(f.Tag.Get("ts"), scriptType(f.Type)))
		}
		text, err := fs.ReadFile(pageSource(), c.file)
		if err != nil || !strings.Contains(string(text), declared+"}\n") {
			t.Errorf("%v: preview/page/src/%s must have the fields that the server sends:\n%s}", err, c.file, declared)
		}
	}
}

func scriptType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.Int:
		return "number"
	default:
		return t.String() // a string, or what the message shows
	}
}
