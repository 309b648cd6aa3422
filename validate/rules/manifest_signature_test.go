package rules

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle/signature/signaturetest"
	"github.com/slipway-dev/slipway/validate"
)

// Only hosts that verify signatures miss one.
func TestUnsigned(t *testing.T) {
	t.Parallel()
	for profile, want := range map[string]int{"service": 0, "grafana": 1} {
		p := completePlugin(t, validate.Zip)
		p.write("MANIFEST.json", "{}") // a file like others
		r := runWith(t, p.in(p.dir), validate.Options{Rules: only("manifest-missing"), Where: validate.Zip, Profile: profile})
		if len(r.Findings) != want {
			t.Errorf("%s: findings:\n%s", profile, lines(r))
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
		"none":           {func(*plugin) {}, ""},
		"CRLF":           {edit("MANIFEST.txt", "\n", "\r\n"), ""}, // which OpenPGP allows
		"changed file":   {edit("module.js", "a", "b"), "manifest-hash - module.js has changed"},
		"line endings":   {edit("README.md", "\n", "\r\n"), "manifest-hash - README.md: changed after the manifest was written, but only in its line endings"},
		"missing file":   {dropFile("img/tides.png"), "manifest-hash - img/tides.png is listed but does not exist"},
		"added file":     {addFile("new.txt", ""), "manifest-undeclared - new.txt is not listed"},
		"other manifest": {addFile("MANIFEST.json", "{}"), "manifest-undeclared - MANIFEST.json is not listed"},
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
			r := p.run(t, only("manifest-hash", "manifest-undeclared", "manifest-signature", "manifest-scope"))
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
