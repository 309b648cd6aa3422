package rules

import (
	"bytes"
	"crypto/ed25519"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle/archive"
	"github.com/slipway-dev/slipway/validate"
)

// TestManifestSignature verifies the signature of the example with several keys.
func TestManifestSignature(t *testing.T) {
	t.Parallel()
	signed, err := archive.ParsePublicKey([]byte("RWT6TYbDtVGqbM7MFQfcHd1ylZUcKQiI8JWtuQRNG3PWlubfBl1oO9T8"))
	if err != nil {
		t.Fatal(err)
	}
	other := archive.NewPublicKey(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{2}, ed25519.SeedSize)).Public().(ed25519.PublicKey))
	const signature, manifest = "dist/MANIFEST.json.minisig", "dist/MANIFEST.json"
	for _, c := range []struct {
		name    string
		change  func(files map[string]string)
		trusted []archive.PublicKey
		want    string // the only finding; "" if there is none
	}{
		{name: "no keys", change: func(map[string]string) {}},
		{name: "signed", change: func(map[string]string) {}, trusted: []archive.PublicKey{other, signed}},
		{name: "another key", change: func(map[string]string) {}, trusted: []archive.PublicKey{other}, want: "not trusted: 6CAA51B5C3864DFA"},
		{name: "changed manifest", change: func(f map[string]string) { f[manifest] = strings.Replace(f[manifest], "1.0.0", "1.0.1", 1) },
			trusted: []archive.PublicKey{signed}, want: "does not match the manifest"},
		{name: "unsigned", change: func(f map[string]string) { delete(f, signature) }, trusted: []archive.PublicKey{signed}, want: "not signed"},
		{name: "unsigned, no keys", change: func(f map[string]string) { delete(f, signature) }},
		{name: "not packaged", change: func(f map[string]string) { delete(f, signature); delete(f, manifest) }, trusted: []archive.PublicKey{signed}},
		{name: "without the manifest", change: func(f map[string]string) { delete(f, manifest) }, want: "MANIFEST.json, is missing"},
		{name: "too large", change: func(f map[string]string) { f[signature] = strings.Repeat("x", 8<<10) }, want: "cannot read the signature"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := readExample(t, manifestSignature())
			files := map[string]string{}
			for name, f := range e.good {
				files[name] = string(f.Data)
			}
			c.change(files)
			for name := range e.good {
				if text, ok := files[name]; ok {
					e.good[name].Data = []byte(text)
				} else {
					delete(e.good, name)
				}
			}
			r, err := validate.Run(t.Context(), e.good, validate.Options{Rules: []validate.Rule{manifestSignature()}, Keys: c.trusted})
			if err != nil {
				t.Fatal(err)
			}
			got := lines(r)
			if c.want == "" && got != "" || c.want != "" && (len(r.Findings) != 1 || !strings.Contains(got, c.want)) {
				t.Errorf("findings:\n%s\nwant %q", got, c.want)
			}
		})
	}
}

// TestManifestJSON requires an error for a MANIFEST.json that hosts reject.
func TestManifestJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ old, new, want string }{
		{"\n}\n", "\n}", "canonical form"},
		{`"CHANGELOG.md": 44`, `"CHANGELOG.md": -1`, "no valid size"},
		{`"CHANGELOG.md"`, `"../CHANGELOG.md"`, "not a file name"},
		{`"CHANGELOG.md"`, `"/CHANGELOG.md"`, "not a file name"},
		{`"CHANGELOG.md"`, `"CHANGELOG\u0000.md"`, "not a file name"},
		{`"CHANGELOG.md"`, `"readme.md"`, "where case does not matter"},
	} {
		e := readExample(t, manifestSignature())
		f := e.good["dist/MANIFEST.json"]
		f.Data = []byte(strings.ReplaceAll(string(f.Data), c.old, c.new))
		r, err := validate.Run(t.Context(), e.good, validate.Options{Rules: All()})
		if err != nil {
			t.Fatal(err)
		}
		if got := lines(r); !strings.Contains(got, "manifest-hash") || !strings.Contains(got, c.want) {
			t.Errorf("%q: findings:\n%s\nwant %q", c.new, got, c.want)
		}
	}
}
