package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestDocumentPositions(t *testing.T) {
	t.Parallel()
	text := "{\n  \"a\": {\"ß\": [1, \"zwölf\", null]},\r\n\t\"b/c\": true,\n  \"a~\": \"x\"\n}\n"
	d := testkit.Must(ParseDocument("f.json", []byte(text)))(t)
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
		t.Errorf("Text returned %q, %t", text, ok)
	}
	if !d.Bool("/b~1c") {
		t.Error("Bool is false for true")
	}
	if d.Bool("/a~0") {
		t.Error("Bool is true for a string")
	}
	if keys := strings.Join(d.Keys(""), " "); keys != "a b/c a~" {
		t.Errorf("got the keys %q", keys)
	}
	if items := strings.Join(d.Items("/a/ß"), " "); items != "/a/ß/0 /a/ß/1 /a/ß/2" {
		t.Errorf("got the items %q", items)
	}
}

func TestColumns(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a\xff€😀\xf0\x9f ", 500) + "\n" + strings.Repeat("ü\x80", 2000)
	d := newDocument("f.json", []byte(text))
	for offset := range len(text) + 1 {
		start := strings.LastIndexByte(text[:offset], '\n') + 1
		if got, want := d.Position(offset).Column, utf8.RuneCountInString(text[start:offset])+1; got != want {
			t.Fatalf("offset %d: got column %d, want %d", offset, got, want)
		}
	}
}

// If each column took a pass over the line, this would take half an hour.
func TestColumnsOfLongLines(t *testing.T) {
	t.Parallel()
	const n = 1 << 20
	_, err := ParseDocument("f.json", []byte(`{"ä": 1}`+strings.Repeat("/**/", n)))
	errs, _ := errors.AsType[SyntaxErrors](err)
	if len(errs) != n || errs[n-1].Pos.Column != 9+4*(n-1) {
		t.Errorf("got %d errors, want %d with a column each", len(errs), n)
	}
}

func TestDocumentDuplicates(t *testing.T) {
	t.Parallel()
	d := testkit.Must(ParseDocument("f.json", []byte("{\"a\": {\"x\": 1},\n\"a\": {\"y\": 2}}")))(t)
	want := []Duplicate{{
		Pointer: "/a", Key: "a",
		First: Span{Start: Position{1, 2, 1}, End: Position{1, 5, 4}},
		Again: Span{Start: Position{2, 1, 16}, End: Position{2, 4, 19}},
	}}
	if d := cmp.Diff(want, d.Duplicates()); d != "" {
		t.Errorf("the duplicates differ (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"", "/a", "/a/y"}, d.Pointers()); d != "" {
		t.Errorf("the pointers are not those of the last value (-want +got):\n%s", d)
	}
}

func TestDocumentSyntax(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", maxNesting+1)
	for text, want := range map[string]string{
		"{\n  \"a\": 1,\n}":               "2:9-2:10 trailing comma",
		"{\n // x\n \"a\": 1}":            "2:2-2:6 comments are not allowed",
		"{\"a\": [1, 2,]}":                "1:12-1:13 trailing comma",
		"[1] // end\n":                    "1:5-1:11 comments are not allowed",
		"[1] // end":                      "1:5-1:11 comments are not allowed",
		"# x\n[1]":                        "1:1-1:4 comments are not allowed",
		"/* x\n":                          "1:1-1:3 unterminated comment",
		"{\n  \"ä\": x\n}":                "2:8-2:9 strings must be quoted",
		"":                                "1:1-1:1 the file is empty",
		" \n\n":                           "1:1-1:1 the file is empty",
		"{\"a\": 1} {\"b\": 2}":           "1:10-1:11 unexpected text after the end of the JSON value",
		"{\"a\": 1}}":                     "1:9-1:10 unmatched }",
		"{\"a\": \"unterminated}":         "1:7-1:21 unterminated string",
		"{\n \"a\": \"x,\n \"b\": 1}":     "2:7-2:10 unterminated string",
		"{\"a\": \"x\\\"\n}":              "1:7-1:11 unterminated string",
		"{\"ä\": \"x\ty\"}":               "1:9-1:10 unescaped tab in a string",
		"[\"x\x01\"]":                     "1:4-1:5 unescaped control character U+0001 in a string",
		`["C:\img"]`:                      "1:5-1:7 invalid escape in a string",
		`["\u12"]`:                        "1:3-1:5 invalid escape in a string",
		"{\n  \"a\": 1 // x\n  \"b\": 2}": "2:9-2:9 expected a comma; 2:10-2:14 comments are not allowed",
		"[1 2]":                           "1:3-1:3 expected a comma",
		"{\"a\": [1 {} 2]\n\"b\": 1}":     "1:9-1:9 expected a comma; 1:12-1:12 expected a comma; 1:15-1:15 expected a comma",
		"{\n<<<<<<< a\n\"a\": 1\n=======\n\"a\": 2\n>>>>>>> b\n}": "2:1-6:8 unresolved merge conflict in lines 2 to 6",
		"\n<html>":                       "2:1-2:2 the file is HTML or XML, not JSON",
		`{"a": "say "yes""}`:             "1:12-1:13 this quote ends the string early",
		"{'a': 1}":                       "1:2-1:3 unexpected quote '",
		"{\"a\": “x”}":                   "1:7-1:8 unexpected quote “",
		"{a: 1}":                         "1:2-1:3 keys must be quoted",
		"{1: 1}":                         "1:2-1:3 keys must be quoted",
		"{[]: 1}":                        "1:2-1:3 expected a key, found [",
		"{\"a\" 1}":                      "1:5-1:5 expected a colon after the key",
		"{\"a\" = 1}":                    "1:6-1:7 expected a colon, found =",
		"{\"a\": }":                      "1:6-1:6 expected a value after the colon",
		"{\"a\": 1,,\"b\": 2}":           "1:9-1:10 expected a key, found a comma",
		"[,1]":                           "1:2-1:3 expected a value, found a comma",
		"[1, 2}":                         "1:6-1:7 } does not close the [ at line 1, column 1",
		"{\"a\": [\"b\"\n\"c\": 1}":      "1:11-1:11 expected ] to close the [ at line 1, column 7",
		"{\"a\": [\"b\",\n\"c\": 1}":     "1:11-1:11 expected ] to close the [ at line 1, column 7",
		"{\"a\": [\"b\": 1]}":            "1:11-1:12 unexpected colon in an array",
		"{\"a\":":                        "1:6-1:6 unexpected end of file: the { at line 1, column 1 is not closed, and its last key has no value",
		"{\"a\": {\n":                    "1:8-1:8 unexpected end of file: the { at line 1, column 7 is not closed",
		"[True]":                         "1:2-1:6 True must be lowercase",
		"[01]":                           "1:2-1:4 invalid number 01",
		"[\u00a01]":                      "1:2-1:3 invisible character U+00A0",
		"[\xe9]":                         "1:2-1:3 invalid UTF-8: byte 0xe9",
		deep:                             "1:65-1:66 nested more than 64 levels deep",
		"// a\n{\"b\": [1,], /* c */\n}": "1:1-1:5 comments are not allowed; 2:9-2:10 trailing comma; 2:11-2:12 trailing comma; 2:13-2:20 comments are not allowed",
	} {
		doc, err := ParseDocument("f.json", []byte(text))
		var errs SyntaxErrors
		if !errors.As(err, &errs) {
			t.Errorf("%q: got %v", text, err)
			continue
		}
		var got []string
		for _, e := range errs {
			got = append(got, fmt.Sprintf("%d:%d-%d:%d %s", e.Pos.Line, e.Pos.Column, e.End.Line, e.End.Column, e.Problem))
			if e.Help == "" {
				t.Errorf("%q: an error has no help", text)
			}
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%q:\ngot  %s\nwant %s", text, strings.Join(got, "; "), want)
		}
		isReadable := !slices.ContainsFunc(errs, func(e *SyntaxError) bool {
			return e.Problem != "trailing comma" && e.Problem != "comments are not allowed" && e.Problem != ExpectedComma
		})
		if isReadable != (doc != nil) {
			t.Errorf("%q: got a document: %t, want %t", text, doc != nil, isReadable)
		}
	}
}

func TestPointerTokens(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "plain", "a/b", "~", "~1", "~01/", "/~0~"} {
		if got := UnescapePointer(EscapePointer(key)); got != key {
			t.Errorf("%q becomes %q", key, got)
		}
	}
}

// FuzzDocument requires that encoding/json accepts and decodes the same texts.
func FuzzDocument(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{"b":null}]}`, "[1,]", "{//\n}", `{"a":1,"a":{"a":2}}`, "\ufeff{}", `"` + "\xff" + `"`, "//\u2028\n1", `["\u00e9\ud800"]`, "/* \xff */ 1"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := ParseDocument("f.json", data)
		if (err == nil) != json.Valid(data) && bytes.Count(data, []byte("[")) < maxNesting && bytes.Count(data, []byte("{")) < maxNesting {
			t.Fatalf("encoding/json accepts the text: %t, but ParseDocument returned %v", json.Valid(data), err)
		}
		if err != nil {
			var errs SyntaxErrors
			if !errors.As(err, &errs) {
				t.Fatalf("ParseDocument returned %v", err)
			}
			for _, e := range errs {
				if e.Pos.Line < 1 || e.Pos.Column < 1 || e.End.Offset < e.Pos.Offset {
					t.Fatalf("the error %v has no valid position", e)
				}
				if e.Problem == "" || e.Help == "" {
					t.Fatalf("incomplete error %+v", e)
				}
			}
			return
		}
		var want any
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.UseNumber()
		testkit.OK(t, decoder.Decode(&want))
		if diff := cmp.Diff(want, valueAt(d, "")); diff != "" {
			t.Fatalf("encoding/json decodes another value (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want, d.Any()); diff != "" {
			t.Fatalf("Any decodes another value (-want +got):\n%s", diff)
		}
		for _, p := range d.Pointers() {
			if !d.Has(p) || d.Kind(p) == "" {
				t.Fatalf("Pointers lists %q, but there is no value", p)
			}
			if s := d.Value(p); s.Start.Offset >= s.End.Offset || s.End.Offset > len(data) {
				t.Fatalf("%q has the span %+v in a file of %d bytes", p, s, len(data))
			}
		}
	})
}

// valueAt decodes the value at a pointer through the queries of the document.
func valueAt(d *Document, pointer string) any {
	switch d.Kind(pointer) {
	case "object":
		object := map[string]any{}
		for _, key := range d.Keys(pointer) {
			object[key] = valueAt(d, pointer+"/"+EscapePointer(key))
		}
		return object
	case "array":
		array := []any{}
		for _, item := range d.Items(pointer) {
			array = append(array, valueAt(d, item))
		}
		return array
	case "string":
		text, _ := d.Text(pointer)
		return text
	case "number":
		span := d.Value(pointer)
		return json.Number(d.Data[span.Start.Offset:span.End.Offset])
	case "boolean":
		return d.Bool(pointer)
	}
	return nil
}

func TestLargeDocuments(t *testing.T) {
	t.Parallel()
	const n = 1000
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"k%d": [%s0], "again": {"i": %d}, `, i, strings.Repeat("0, ", i%100), i)
	}
	d := testkit.Must(ParseDocument("f.json", []byte("{"+b.String()+`"k0": {"last": "~/"}}`)))(t)
	if got := len(d.Keys("")); got != n+1 {
		t.Errorf("got %d keys, want %d", got, n+1)
	}
	if got := len(d.Duplicates()); got != n {
		t.Errorf("got %d duplicates, want %d", got, n)
	}
	for i, dup := range d.Duplicates()[1 : n-1] {
		if dup.Pointer != "/again" || dup.First != d.Duplicates()[0].First || dup.Again == d.Duplicates()[i].Again {
			t.Fatalf("unexpected duplicate %+v", dup)
		}
	}
	for pointer, want := range map[string]bool{
		"/k1": true, "/k999": true, "/k1000": false, "/k0/0": false, "/k0/last": true, "/k99/99": true, "/k99/100": false,
		"/k99/-1": false, "/k99/01": false, "/k99/+1": false, "/k5/5": true, "/k5/6": false, "/again/i": true, "/again/i/x": false, "k1": false,
	} {
		if d.Has(pointer) != want {
			t.Errorf("Has(%q) = %t", pointer, !want)
		}
	}
	if got := len(d.Pointers()); got < n*50 {
		t.Errorf("got only %d pointers", got)
	}
}
