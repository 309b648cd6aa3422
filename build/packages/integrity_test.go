package packages

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIntegrities(t *testing.T) {
	t.Parallel()
	both := map[string]string{"a@1.0.0": "sha512-AA==", "@s/b@2.0.0": "sha512-BB=="}
	for _, c := range []struct {
		name string
		read func(*lock, []byte) error
		text string
		want map[string]string
	}{
		{"package-lock.json", readNPM, `{"packages": {
			"": {"version": "9.0.0", "integrity": "x"},
			"node_modules/a": {"version": "1.0.0", "integrity": "sha512-AA=="},
			"node_modules/a/node_modules/alias": {"name": "@s/b", "version": "2.0.0", "integrity": "sha512-BB=="},
			"node_modules/git": {"version": "3.0.0"},
			"packages/own": {"version": "1.0.0"}}}`, both},
		{"package-lock.json, version 1", readNPM, `{"dependencies": {
			"a": {"version": "1.0.0", "integrity": "sha512-AA==", "dependencies": {"@s/b": {"version": "2.0.0", "integrity": "sha512-BB=="}}}}}`, both},
		{"yarn.lock", readYarn, "# yarn lockfile v1\n\na@^1.0.0, a@1:\n  version \"1.0.0\"\n  integrity sha512-AA==\n\n\"@s/b@*\":\n  version \"2.0.0\"\n  integrity sha512-BB==\n", both},
		{"yarn.lock, version 8", readYarn, "# generated\n\n__metadata:\n  version: 8\n\n\"a@npm:1\":\n  version: 1.0.0\n  checksum: 10/ab\n", map[string]string{}},
		{"pnpm-lock.yaml", readPNPM, "packages:\n  a@1.0.0:\n    resolution: {integrity: sha512-AA==}\n  '@s/b@2.0.0':\n    resolution: {integrity: sha512-BB==}\n", both},
		{"pnpm-lock.yaml, version 6", readPNPM, "packages:\n  /a@1.0.0(react@18.0.0):\n    resolution: {integrity: sha512-AA==}\n  /@s/b@2.0.0:\n    resolution: {integrity: sha512-BB==}\n", both},
	} {
		l := newLock(t.TempDir(), "", npm, "")
		if err := c.read(l, []byte(c.text)); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, l.integrities); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
