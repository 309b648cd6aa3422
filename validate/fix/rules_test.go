package fix_test

import (
	"testing"

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
		fixTwice(t, data, all)
	})
}
