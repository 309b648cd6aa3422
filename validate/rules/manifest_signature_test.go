package rules

import (
	"bytes"
	"crypto/ed25519"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle/archive"
	"github.com/slipway-dev/slipway/bundle/signature/signaturetest"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate"
)

// TestManifestSignature verifies the signature of the example with several keys.
func TestManifestSignature(t *testing.T) {
	t.Parallel()
	signed := testkit.Must(archive.ParsePublicKey([]byte("RWT6TYbDtVGqbM7MFQfcHd1ylZUcKQiI8JWtuQRNG3PWlubfBl1oO9T8")))(t)
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
			r := runWith(t, e.good, validate.Options{Rules: []validate.Rule{manifestSignature()}, Keys: c.trusted})
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
		r := runWith(t, e.good, validate.Options{Rules: All()})
		if got := lines(r); !strings.Contains(got, "manifest-hash") || !strings.Contains(got, c.want) {
			t.Errorf("%q: findings:\n%s\nwant %q", c.new, got, c.want)
		}
	}
}

// TestSignedByService damages a plugin that a dashboard service signed, and requires the name of the damage.
func TestSignedByService(t *testing.T) {
	t.Parallel()
	edit := func(name, old, new string) func(*plugin) {
		return func(p *plugin) { p.write(name, strings.ReplaceAll(string(p.files[name].Data), old, new)) }
	}
	for name, c := range map[string]struct {
		damage func(p *plugin)
		want   string // of the only finding; "" if there is none
	}{
		"none":         {func(*plugin) {}, ""},
		"CRLF":         {edit("MANIFEST.txt", "\n", "\r\n"), ""}, // which OpenPGP allows
		"changed file": {edit("module.js", "a", "b"), "manifest-hash - module.js has changed"},
		"line endings": {edit("README.md", "\n", "\r\n"), "manifest-hash - README.md: changed after the manifest was written, but only in its line endings"},
		"missing file": {dropFile("img/tides.png"), "manifest-hash - img/tides.png is listed but does not exist"},
		"added file":   {addFile("new.txt", ""), "manifest-undeclared - new.txt is not listed"},
		"own manifest": {addFile("MANIFEST.json", "{}"), "manifest-undeclared - MANIFEST.json is not listed"},
		"BOM": {func(p *plugin) {
			p.write("MANIFEST.txt", "\ufeff"+strings.TrimSpace(string(p.files["MANIFEST.txt"].Data)))
		}, "it begins with a byte order mark"},
		"text":        {edit("MANIFEST.txt", "Acme Ltd", "Acme Inc"), "manifest-signature - the signature is invalid: its text, or the signature itself, was changed"},
		"armor":       {edit("MANIFEST.txt", "SIGNATURE-----\n\n", "SIGNATURE-----\n\n!"), "manifest-signature - the signature is invalid: the block after"},
		"cut":         {edit("MANIFEST.txt", "-----END", ""), "manifest-signature - the signature is invalid: it is incomplete"},
		"another key": {func(p *plugin) { p.signers = signaturetest.New(t).Public }, "manifest-signature - the signature is invalid: it is signed with a key that Grafana does not know"},
		"other names": {func(p *plugin) {
			delete(p.files, "MANIFEST.txt")
			p.write("x\\y", "")
			p.addManifest()
			delete(p.files, "x\\y")
		}, "x\\y: listed in the manifest, but missing: hosts look for"},
		"text in front": {func(p *plugin) { p.write("MANIFEST.txt", `{"files": {}}`+string(p.files["MANIFEST.txt"].Data)) }, ""}, // which hosts skip
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := completePlugin(t, validate.Dist)
			p.addManifest()
			c.damage(p)
			r := p.run(t, []validate.Rule{manifestHash(), manifestUndeclared(), manifestSignature(), manifestScope()})
			got := lines(r)
			if c.want == "" && got != "" || c.want != "" && (len(r.Findings) != 1 || !strings.Contains(got, c.want)) {
				t.Errorf("findings:\n%s\nwant %q", got, c.want)
			}
			for _, f := range r.Findings {
				if !strings.Contains(f.Help, "Grafana refuses to load the plugin: ") {
					t.Errorf("help: %s", f.Help)
				}
			}
		})
	}
}
