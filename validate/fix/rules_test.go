package fix_test

import (
	"bytes"
	"context"
	"testing"
	"testing/fstest"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/fix"
	"github.com/slipway-dev/slipway/validate/rules"
)

// FuzzRules applies the fixes of all rules to any plugin.json. They must keep it valid, and
// a second run must change nothing.
func FuzzRules(f *testing.F) {
	f.Add([]byte("{\r\n  \"nmae\": \"X\",\r\n  \"backend\": \"true\",\r\n  \"generated\": {},\r\n  \"info\": {\"updated\": \"2026/01/31\"}\r\n}\r\n"))
	f.Add([]byte("\xEF\xBB\xBF{\"id\": \"a-b-panel\", \"type\": \"Panel\", \"grants\": [], \"roles\": [{\"role\": {\"name\": \"x\"}, \"grant\": [\"viewer\"],}], /* c */ }"))
	f.Add([]byte(`{"info":{"build":{"number":"1"},"keywords":null,"version":"v1.0.0"},"dependencies":{"grafanaDependency":"=>1"}}`))
	all := rules.All()
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4<<10 {
			return
		}
		r, err := fix.Run(context.Background(), fstest.MapFS{"plugin.json": {Data: data}}, validate.Options{Rules: all})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range r.Report.Skips {
			if s.IsBroken {
				t.Fatalf("%q: %s: %s", data, s.Rule, s.Reason)
			}
		}
		if len(r.Changes) == 0 {
			return
		}
		after := r.Changes[0].After
		mark := []byte("\xEF\xBB\xBF")
		if _, err := bundle.ParseDocument("before", bytes.TrimPrefix(data, mark)); err == nil {
			if _, err := bundle.ParseDocument("after", bytes.TrimPrefix(after, mark)); err != nil {
				t.Fatalf("%q became %q: %v", data, after, err)
			}
		}
		again, err := fix.Run(context.Background(), fstest.MapFS{"plugin.json": {Data: after}}, validate.Options{Rules: all})
		if err != nil {
			t.Fatal(err)
		}
		if len(again.Changes) > 0 {
			t.Fatalf("%q became %q, and a second run changed %+v", data, after, again.Changes)
		}
	})
}
