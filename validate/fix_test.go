package validate

import (
	"testing"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestEditsOfJSON(t *testing.T) {
	t.Parallel()
	const text = "\xEF\xBB\xBF{\r\n  \"a\": 1,\r\n  \"b\": [1, 2, 3],\r\n  \"c\": {},\r\n  \"d\": {\"e\": 0}\r\n}\r\n"
	doc := testkit.Must(bundle.ParseDocument("plugin.json", []byte(text[3:])))(t)
	p := &Pass{File: "plugin.json", Data: []byte(text), Doc: doc}
	for name, c := range map[string]struct {
		edit Edit
		want string
	}{
		"replace":                     {p.Replace("/a", "x<y"), "{\r\n  \"a\": \"x<y\",\r\n  \"b\": [1, 2, 3],\r\n  \"c\": {},\r\n  \"d\": {\"e\": 0}\r\n}\r\n"},
		"rename":                      {p.Rename("/b", "z"), "{\r\n  \"a\": 1,\r\n  \"z\": [1, 2, 3],\r\n  \"c\": {},\r\n  \"d\": {\"e\": 0}\r\n}\r\n"},
		"remove the first":            {p.Remove("/a"), "{\r\n  \"b\": [1, 2, 3],\r\n  \"c\": {},\r\n  \"d\": {\"e\": 0}\r\n}\r\n"},
		"remove the last":             {p.Remove("/d"), "{\r\n  \"a\": 1,\r\n  \"b\": [1, 2, 3],\r\n  \"c\": {}\r\n}\r\n"},
		"remove the only one":         {p.Remove("/d/e"), "{\r\n  \"a\": 1,\r\n  \"b\": [1, 2, 3],\r\n  \"c\": {},\r\n  \"d\": {}\r\n}\r\n"},
		"remove an item":              {p.Remove("/b/1"), "{\r\n  \"a\": 1,\r\n  \"b\": [1, 3],\r\n  \"c\": {},\r\n  \"d\": {\"e\": 0}\r\n}\r\n"},
		"insert":                      {p.Insert("", "n", true), "{\r\n  \"n\": true,\r\n  \"a\": 1,\r\n  \"b\": [1, 2, 3],\r\n  \"c\": {},\r\n  \"d\": {\"e\": 0}\r\n}\r\n"},
		"insert into an empty object": {p.Insert("/c", "n", 1), "{\r\n  \"a\": 1,\r\n  \"b\": [1, 2, 3],\r\n  \"c\": {\"n\": 1},\r\n  \"d\": {\"e\": 0}\r\n}\r\n"},
		"insert on one line":          {p.Insert("/d", "n", 1), "{\r\n  \"a\": 1,\r\n  \"b\": [1, 2, 3],\r\n  \"c\": {},\r\n  \"d\": {\"n\": 1, \"e\": 0}\r\n}\r\n"},
	} {
		if got := text[:c.edit.From] + c.edit.Text + text[c.edit.To:]; got != "\xEF\xBB\xBF"+c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
