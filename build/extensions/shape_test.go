package extensions

import (
	"encoding/json"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestShapes(t *testing.T) {
	first, second := Place{"src/module.ts", 1, 1}, Place{"src/module.ts", 2, 1}
	r := &Result{
		Extensions: []Extension{
			{"acme/a", Link, "A", "About a", first},
			{"acme/b", Link, "A", "About a", first},
			{"acme/b", Link, "A", "About a", second},
			{"acme/c", Component, "C", "", second},
			{"acme/f", Function, "F", "", second},
		},
		Exposed: []Exposed{{"acme-x-app/e/v1", "E", "", second}},
	}
	for _, test := range []struct {
		name string
		of   any
		want string
	}{
		{"Generated", r.Generated(), `[` +
			`{"extensionPointId":"acme/a","type":"link","title":"A","description":"About a"},` +
			`{"extensionPointId":"acme/b","type":"link","title":"A","description":"About a"},` +
			`{"extensionPointId":"acme/b","type":"link","title":"A","description":"About a"},` +
			`{"extensionPointId":"acme/c","type":"component","title":"C"}]`},
		{"Declared", r.Declared(), `{"addedLinks":[` +
			`{"targets":["acme/a","acme/b"],"title":"A","description":"About a"},` +
			`{"targets":["acme/b"],"title":"A","description":"About a"}],` +
			`"addedComponents":[{"targets":["acme/c"],"title":"C"}],` +
			`"addedFunctions":[{"targets":["acme/f"],"title":"F"}],` +
			`"exposedComponents":[{"id":"acme-x-app/e/v1","title":"E"}]}`},
		{"Generated of nothing", (&Result{}).Generated(), `[]`},
		{"Declared of nothing", (&Result{}).Declared(), `{}`},
	} {
		got := testkit.Must(json.Marshal(test.of))(t)
		if string(got) != test.want {
			t.Errorf("%s is\n%s, want\n%s", test.name, got, test.want)
		}
	}
}
