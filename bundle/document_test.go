package bundle

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestDocumentPositions(t *testing.T) {
	t.Parallel()
	text := "{\n  \"a\": {\"ß\": [1, \"zwölf\", null]},\r\n\t\"b/c\": true,\n  \"a~\": \"x\"\n}\n"
	d, err := ParseDocument("f.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[string]string{
		"":          "1:1-5:2 1:1-5:2 object",
		"/a":        "2:3-2:6 2:8-2:33 object",
		"/a/ß":      "2:9-2:12 2:14-2:32 array",
		"/a/ß/1":    "2:18-2:25 2:18-2:25 string",
		"/a/ß/2":    "2:27-2:31 2:27-2:31 null",
		"/b~1c":     "3:2-3:7 3:9-3:13 boolean",
		"/a~0":      "4:3-4:7 4:9-4:12 string",
		"/a/none/x": "2:8-2:33 2:8-2:33 ",
	} {
		key, value := d.Key(pointer), d.Value(pointer)
		got := fmt.Sprintf("%d:%d-%d:%d %d:%d-%d:%d %s", key.Start.Line, key.Start.Column, key.End.Line, key.End.Column,
			value.Start.Line, value.Start.Column, value.End.Line, value.End.Column, d.Kind(pointer))
		if got != want {
			t.Errorf("%q: got %s, want %s", pointer, got, want)
		}
	}
	if text, ok := d.Text("/a/ß/1"); !ok || text != "zwölf" {
		t.Errorf("text %q", text)
	}
	if !d.Bool("/b~1c") || d.Bool("/a~0") {
		t.Error("booleans")
	}
	if keys := strings.Join(d.Keys(""), " "); keys != "a b/c a~" {
		t.Errorf("keys %q", keys)
	}
	if items := strings.Join(d.Items("/a/ß"), " "); items != "/a/ß/0 /a/ß/1 /a/ß/2" {
		t.Errorf("items %q", items)
	}
}

func TestDocumentDuplicates(t *testing.T) {
	t.Parallel()
	d, err := ParseDocument("f.json", []byte("{\"a\": {\"x\": 1},\n\"a\": {\"y\": 2}}"))
	if err != nil {
		t.Fatal(err)
	}
	dups := d.Duplicates()
	if len(dups) != 1 || dups[0].Pointer != "/a" || dups[0].First.Start.Line != 1 || dups[0].Again.Start.Line != 2 {
		t.Errorf("%+v", dups)
	}
	if d.Has("/a/x") || !d.Has("/a/y") {
		t.Errorf("pointers %q: the last value counts", d.Pointers())
	}
}

func TestDocumentSyntax(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{\n  \"a\": 1,\n}":       "f.json:2:9: a comma after the last entry: delete it",
		"{\n // x\n \"a\": 1}":    "f.json:2:2: a comment: JSON has none, delete it",
		"{\"a\": [1, 2,]}":        "f.json:1:12: a comma after the last entry: delete it",
		"[1] // end\n":            "f.json:1:5: a comment: JSON has none, delete it",
		"[1] // end":              "f.json:1:5: ",
		"{\n  \"ä\": x\n}":        "f.json:2:8: ",
		"":                        "f.json:1:1: ",
		"{\"a\": 1} {\"b\": 2}":   "f.json:1:10: ",
		"{\"a\": \"unterminated}": "f.json:1:",
	} {
		_, err := ParseDocument("f.json", []byte(text))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func FuzzDocument(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{"b":null}]}`, "[1,]", "{//\n}", `{"a":1,"a":{"a":2}}`, "\ufeff{}", `"` + "\xff" + `"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := ParseDocument("f.json", data)
		var syntax *SyntaxError
		if err != nil {
			if !errors.As(err, &syntax) || syntax.Pos.Line < 1 || syntax.Pos.Column < 1 {
				t.Fatalf("error %v", err)
			}
			return
		}
		for _, p := range d.Pointers() {
			if !d.Has(p) || d.Kind(p) == "" {
				t.Fatalf("%q is listed but not there", p)
			}
			if s := d.Value(p); s.Start.Offset >= s.End.Offset || s.End.Offset > len(data) {
				t.Fatalf("%q: span %+v of %d bytes", p, s, len(data))
			}
		}
	})
}
