package verbs

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle/signature/signaturetest"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// verified returns what verify prints and its exit status.
func verified(t *testing.T, o verifyOptions) (printed string, exit int) {
	var b strings.Builder
	o.Face = Mage
	err := runVerify(t.Context(), &b, o)
	if err != nil {
		b.WriteString(err.Error())
	}
	return b.String(), code(err)
}

// packagedPanel builds and packs a panel, and returns its repository.
func packagedPanel(t *testing.T) string {
	t.Helper()
	dir := panel(t, false)
	w, _ := captured(t)
	testkit.Must(Build(t.Context(), w, BuildOptions{Dir: dir}))(t)
	testkit.OK(t, runPackage(t.Context(), w, packageOptions{Dir: dir}))
	return dir
}

// TestVerifyUnsigned checks what verify chooses and says where Grafana has signed nothing.
func TestVerifyUnsigned(t *testing.T) {
	t.Parallel()
	dir := packagedPanel(t)
	release := filepath.Join(dir, "release")
	zip := filepath.Join(release, "acme-x-panel-0.1.0.zip")
	testkit.WriteFile(t, filepath.Join(release, "acme-x-panel-0.0.9.zip"), "not a zip")
	text, exit := verified(t, verifyOptions{Dir: dir})
	for _, want := range []string{"dist is not verified: it has no MANIFEST.txt\n", "acme-x-panel-0.1.0.zip\n",
		"  ok       acme-x-panel-0.1.0.zip.sha256\n", "  note     the plugin is not signed: MANIFEST.txt is missing\n"} {
		if exit != ExitOK || !strings.Contains(text, want) {
			t.Errorf("packed: %d, want %q in\n%s", exit, want, text)
		}
	}
	empty := t.TempDir()
	testkit.WriteFile(t, filepath.Join(empty, "x.zip"), "not a zip")
	for _, c := range []struct {
		name   string
		change func()
		o      verifyOptions
		exit   int
		want   string
	}{
		{"a dist", nil, verifyOptions{Paths: []string{filepath.Join(dir, "dist")}}, ExitFindings, "  unsigned MANIFEST.txt is missing, and there is no checksum"},
		{"for a Grafana", nil, verifyOptions{Paths: []string{zip}, RootURL: "https://example.org"}, ExitFindings, "  unsigned MANIFEST.txt is missing, so Grafana loads"},
		{"not a zip", nil, verifyOptions{Paths: []string{empty}}, ExitFindings, "refused  open "},
		{"another checksum", func() { testkit.WriteFile(t, zip+".sha1", "0") }, verifyOptions{Paths: []string{zip}}, ExitFindings,
			"  changed  acme-x-panel-0.1.0.zip.sha1: not the checksum of the zip\n"},
		{"other checksums", func() { testkit.WriteFile(t, zip+".sha256", "0") }, verifyOptions{Paths: []string{zip}}, ExitFindings,
			"  changed  acme-x-panel-0.1.0.zip.sha1: not the checksum of the zip\n  note     the plugin is not signed"},
		{"no checksums", func() { testkit.OK(t, os.Remove(zip+".sha1"), os.Remove(zip+".sha256")) }, verifyOptions{Paths: []string{zip}}, ExitFindings,
			"  unsigned MANIFEST.txt is missing, and there is no checksum"},
		{"no path", nil, verifyOptions{Paths: []string{filepath.Join(empty, "none")}}, ExitUsage, "does not exist"},
		{"no zips", nil, verifyOptions{Paths: []string{t.TempDir()}}, ExitUsage, "has no zips"},
		{"no release", func() { testkit.OK(t, os.RemoveAll(release)) }, verifyOptions{Dir: dir}, ExitUsage, "nothing to verify: "},
		{"no dist", func() { testkit.OK(t, os.RemoveAll(filepath.Join(dir, "dist"))) }, verifyOptions{Dir: dir}, ExitUsage,
			"dist/plugin.json does not exist; build the plugin first with go tool mage build"},
	} {
		if c.change != nil {
			c.change()
		}
		if text, exit := verified(t, c.o); exit != c.exit || !strings.Contains(text, c.want) {
			t.Errorf("%s: exit status %d, want %d and %q in\n%s", c.name, exit, c.exit, c.want, text)
		}
	}
}

// TestVerifySigned verifies a plugin that is signed, and damages it.
func TestVerifySigned(t *testing.T) {
	t.Parallel()
	dist := filepath.Join(t.TempDir(), "dist")
	files := map[string]string{"plugin.json": `{"id": "acme-x-panel", "info": {"version": "1.0.0"}}`, "module.js": "x\n"}
	sums := map[string]string{`img\x.svg`: ""}
	for name, text := range files {
		testkit.WriteFile(t, filepath.Join(dist, name), text)
		sums[name] = fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
	}
	key := signaturetest.New(t)
	public := key.Sign(t, "acme-x-panel", "1.0.0", map[string]string{"plugin.json": sums["plugin.json"], "module.js": sums["module.js"]}, nil)
	private := key.Sign(t, "acme-x-panel", "1.0.1", sums, map[string]any{"signatureType": "private", "rootUrls": []string{"https://example.org/"}})
	for _, c := range []struct {
		name, manifest, file, text, root string
		want                             []string
		exit                             int
	}{
		{"as signed", public, "", "", "https://example.org", []string{
			"  ok       2 files\n", "MANIFEST.txt: signature of type community for acme-x-panel 1.0.0, of the organization Acme Ltd (acme), for every host\n",
			"  ok       the signature holds for a Grafana at https://example.org\n"}, ExitOK},
		{"private", private, "", "", "http://example.org", []string{
			`  missing  img\x.svg: listed in the manifest, but missing: hosts look for`, "  refused  the manifest belongs to another plugin or version",
			"modified signature\n", "only for https://example.org/, not for http://example.org/: "}, ExitFindings},
		{"changed", public, "module.js", "y", "", []string{"  changed  module.js\n", "modified signature\n"}, ExitFindings},
		{"line endings", public, "module.js", "x\r\n", "", []string{"  changed  module.js: changed after the manifest was written, but only in its line"}, ExitFindings},
		{"control characters", public, "a\x1b[2J.js", "", "", []string{"  added    a�[2J.js\n"}, ExitFindings},
		{"added", public, "more.js", "", "", []string{"  added    more.js\n", "modified signature\n"}, ExitFindings},
		{"signed text", strings.Replace(public, "Ltd", "Inc", 1), "", "", "", []string{"  refused  MANIFEST.txt: its text, or the signature itself, was changed after it was signed; Grafana refuses"}, ExitFindings},
		{"too short", "{}", "", "", "", []string{"  refused  MANIFEST.txt: it is not a signed message"}, ExitFindings},
	} {
		dir := t.TempDir()
		testkit.OK(t, os.CopyFS(dir, os.DirFS(dist)))
		if c.manifest != "" {
			testkit.WriteFile(t, filepath.Join(dir, "MANIFEST.txt"), c.manifest)
		}
		if c.file != "" {
			testkit.WriteFile(t, filepath.Join(dir, c.file), c.text)
		}
		text, exit := verified(t, verifyOptions{Paths: []string{dir}, RootURL: c.root, Signers: key.Public})
		for _, want := range c.want {
			if exit != c.exit || !strings.Contains(text, want) {
				t.Errorf("%s: exit status %d, want %d and %q in\n%s", c.name, exit, c.exit, want, text)
			}
		}
	}
}
