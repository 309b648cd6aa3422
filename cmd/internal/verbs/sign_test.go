package verbs

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle/signature/signaturetest"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// keyFiles writes a private key and its public key.
func keyFiles(t *testing.T, seed byte) (private, public string) {
	t.Helper()
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
	der := testkit.Must(x509.MarshalPKCS8PrivateKey(key))(t)
	pkix := testkit.Must(x509.MarshalPKIXPublicKey(key.Public()))(t)
	dir := t.TempDir()
	private, public = filepath.Join(dir, "key"), filepath.Join(dir, "key.pub")
	testkit.WriteFile(t, private, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})))
	testkit.WriteFile(t, public, string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: pkix})))
	return private, public
}

// verified returns what Verify prints about a path and its exit status.
func verified(t *testing.T, path, key string) (printed string, exit int) {
	var b strings.Builder
	err := runVerify(t.Context(), &b, verifyOptions{Paths: []string{path}, Key: key, Face: Mage})
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

func TestSignAndVerify(t *testing.T) {
	t.Parallel()
	dir := packagedPanel(t)
	dist, release := filepath.Join(dir, "dist"), filepath.Join(dir, "release")
	old := filepath.Join(release, "acme-x-panel-0.0.9.zip")
	testkit.WriteFile(t, old, "not a zip")
	private, public := keyFiles(t, 1)
	_, other := keyFiles(t, 2)

	if text, exit := verified(t, filepath.Join(release, "acme-x-panel-0.1.0.zip"), ""); exit != ExitOK || !strings.Contains(text, "note     the plugin is not signed") {
		t.Errorf("unsigned: %d, %s", exit, text)
	}
	if text, exit := verified(t, filepath.Join(release, "acme-x-panel-0.1.0.zip"), public); exit != ExitFindings || !strings.Contains(text, "unsigned the plugin is not signed") {
		t.Errorf("unsigned, with a key: %d, %s", exit, text)
	}
	testkit.OK(t, os.Chmod(private, 0o600))
	var printed strings.Builder
	testkit.OK(t, runSign(&printed, signOptions{Dir: dir, Key: private}))
	if got := printed.String(); strings.Count(got, "signed ") != 2 || !strings.Contains(got, "dist with the key ") || !strings.Contains(got, "minisign -V -m MANIFEST.json -P RW") || strings.Contains(got, "0.0.9") {
		t.Errorf("printed\n%s", got)
	}
	if runtime.GOOS != "windows" {
		testkit.OK(t, os.Chmod(private, 0o644))
		var warned strings.Builder
		if err := runSign(&warned, signOptions{Dir: dir, Key: private}); err != nil || !strings.HasPrefix(warned.String(), "warning: other users may read the private key") {
			t.Errorf("a key that others may read: %v, printed\n%s", err, &warned)
		}
		if strings.Contains(printed.String(), "warning") {
			t.Errorf("a key that nobody else may read: printed\n%s", &printed)
		}
	}
	if testkit.ReadFile(t, old) != "not a zip" {
		t.Error("the zip of another version was changed")
	}
	testkit.OK(t, os.Remove(old))
	for _, path := range []string{dist, release, filepath.Join(release, "acme-x-panel-0.1.0.zip")} {
		text, exit := verified(t, path, public)
		for _, want := range []string{"  ok       6 files\n", "  ok       signature with the key "} {
			if exit != ExitOK || !strings.Contains(text, want) {
				t.Errorf("%s: exit status %d, want %q in\n%s", path, exit, want, text)
			}
		}
		if strings.Contains(path, "release") != strings.Contains(text, "  ok       acme-x-panel-0.1.0.zip.sha256\n") {
			t.Errorf("%s: checksums in\n%s", path, text)
		}
		if text, exit := verified(t, path, ""); exit != ExitOK || !strings.Contains(text, "the signature was not verified: -key names") {
			t.Errorf("%s without a key: %d\n%s", path, exit, text)
		}
		if text, exit := verified(t, path, other); exit != ExitFindings || !strings.Contains(text, "  refused  signed with a key that is not trusted") {
			t.Errorf("%s with another key: %d\n%s", path, exit, text)
		}
	}
	printed.Reset()
	if err := runVerify(t.Context(), &printed, verifyOptions{Dir: dir, Key: public}); err != nil || strings.Count(printed.String(), "ok       signature with") != 2 {
		t.Errorf("without a path: %v\n%s", err, printed.String())
	}
	w, _ := captured(t)
	for key, want := range map[string]int{"": ExitOK, public: ExitOK, other: ExitFindings, private: ExitUsage} {
		for _, path := range []string{dist, filepath.Join(release, "acme-x-panel-0.1.0.zip")} {
			if err := runValidate(t.Context(), w, validateOptions{Path: path, Key: key}); code(err) != want {
				t.Errorf("validate %s with the key %s: %v, want exit status %d", path, key, err, want)
			}
		}
	}
	testkit.WriteFile(t, filepath.Join(dist, "module.js"), "changed")
	testkit.WriteFile(t, filepath.Join(dist, "a\x1b[2J.js"), "")
	testkit.WriteFile(t, filepath.Join(release, "acme-x-panel-0.1.0.zip.sha1"), "0")
	testkit.OK(t, os.Remove(filepath.Join(dist, "README.md")), os.Symlink("../..", filepath.Join(dist, "up")))
	text, exit := verified(t, dist, public)
	for _, want := range []string{"  changed  module.js\n", "  missing  README.md\n", "  added    a�[2J.js\n", "  refused  up: a symbolic link that", "verify: the plugin does not match"} {
		if exit != ExitFindings || !strings.Contains(text, want) {
			t.Errorf("exit status %d, want %q in\n%s", exit, want, text)
		}
	}
	text, exit = verified(t, release, public)
	if exit != ExitFindings || !strings.Contains(text, "changed  acme-x-panel-0.1.0.zip.sha1: not the checksum") || !strings.Contains(text, "ok       acme-x-panel-0.1.0.zip.sha256") {
		t.Errorf("another checksum: %d\n%s", exit, text)
	}
}

// TestVerifyUnsigned checks what Verify chooses where sign has not run.
func TestVerifyUnsigned(t *testing.T) {
	t.Parallel()
	dir := packagedPanel(t)
	verify := func() (printed string, exit int) {
		var b strings.Builder
		err := runVerify(t.Context(), &b, verifyOptions{Dir: dir, Face: Mage})
		if err != nil {
			b.WriteString(err.Error())
		}
		return b.String(), code(err)
	}
	testkit.WriteFile(t, filepath.Join(dir, "release", "acme-x-panel-0.0.9.zip"), "not a zip")
	if text, exit := verify(); exit != ExitOK || !strings.Contains(text, "dist is not verified: it has no MANIFEST.json") || !strings.Contains(text, "acme-x-panel-0.1.0.zip\n") {
		t.Errorf("packed: %d, %s", exit, text)
	}
	for _, gone := range []struct{ path, want string }{
		{"release", "nothing to verify: "},
		{"dist", "dist/plugin.json does not exist; build the plugin first with go tool mage build"},
	} {
		testkit.OK(t, os.RemoveAll(filepath.Join(dir, gone.path)))
		if text, exit := verify(); exit != ExitUsage || !strings.Contains(text, gone.want) {
			t.Errorf("without %s: %d, %s", gone.path, exit, text)
		}
	}
}

func TestSignAndVerifyErrors(t *testing.T) {
	t.Parallel()
	private, public := keyFiles(t, 1)
	empty := t.TempDir()
	testkit.WriteFile(t, filepath.Join(empty, "x.zip"), "not a zip")
	if text, exit := verified(t, empty, ""); exit != ExitFindings || !strings.Contains(text, "refused  open ") {
		t.Errorf("not a zip: %d, %s", exit, text)
	}
	unbuilt := panel(t, false)
	for _, c := range []struct {
		o    signOptions
		code int
		want string
	}{
		{signOptions{Dir: unbuilt, Key: private}, ExitFindings, "sign: dist/plugin.json does not exist; build the plugin first with go tool mage build"},
		{signOptions{Dir: empty, Key: private}, ExitUsage, ""},
		{signOptions{Dir: unbuilt}, ExitUsage, "-key is required: a file with an ed25519 private key (PEM or OpenSSH)\nhelp: \"ssh-keygen "},
		{signOptions{Dir: unbuilt, Key: public}, ExitUsage, `-key=` + public + `: a public key: choose the private key`},
		{signOptions{Dir: unbuilt, Key: filepath.Join(empty, "none")}, ExitUsage, "-key: open "},
		{signOptions{Path: t.TempDir(), Key: private}, ExitUsage, "has no zips"},
		{signOptions{Path: empty, Key: private}, ExitFindings, "not a valid zip file"},
	} {
		c.o.Face = Mage
		var b strings.Builder
		if err := runSign(&b, c.o); err == nil || code(err) != c.code || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: code %d, %v; want %d, %q", c.o, code(err), err, c.code, c.want)
		}
	}
	for path, key := range map[string]string{filepath.Join(empty, "none"): public, t.TempDir(): public, empty: private} {
		if text, exit := verified(t, path, key); exit != ExitUsage {
			t.Errorf("%s: %d, %s", path, exit, text)
		}
	}
}

// TestPackageKeepsOtherVersions checks that files of other versions in release stay, and that
// the same dist gives the same files again.
func TestPackageKeepsOtherVersions(t *testing.T) {
	t.Parallel()
	dir := packagedPanel(t)
	release := filepath.Join(dir, "release")
	testkit.WriteFile(t, filepath.Join(release, "acme-x-panel-0.0.9.zip"), "old")
	contents := func() map[string]string {
		found := map[string]string{}
		entries := testkit.Must(os.ReadDir(release))(t)
		for _, e := range entries {
			found[e.Name()] = testkit.ReadFile(t, filepath.Join(release, e.Name()))
		}
		return found
	}
	before := contents()
	w, printed := captured(t)
	testkit.OK(t, runPackage(t.Context(), w, packageOptions{Dir: dir}))
	after := contents()
	if text := after[".gitignore"]; text != "*\n" {
		t.Errorf("release/.gitignore contains %q", text)
	}
	if len(after) != 6 || after["acme-x-panel-0.0.9.zip"] != "old" {
		t.Errorf("%d files", len(after))
	}
	for name, text := range before {
		if after[name] != text {
			t.Errorf("%s differs in the second run", name)
		}
	}
	rows := strings.Split(strings.TrimSpace(printed()), "\n")
	if !slices.ContainsFunc(rows, func(r string) bool {
		return strings.Contains(r, "acme-x-panel-0.1.0.zip ") && strings.HasSuffix(r, "kB  no executables")
	}) {
		t.Errorf("the table is\n%s", printed())
	}
}

// TestVerifyForeign verifies a plugin that only another service has signed, and damages it.
func TestVerifyForeign(t *testing.T) {
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
		{"added", public, "more.js", "", "", []string{"  added    more.js\n", "modified signature\n"}, ExitFindings},
		{"signed text", strings.Replace(public, "Ltd", "Inc", 1), "", "", "", []string{"  refused  MANIFEST.txt: its text, or the signature itself, was changed after it was signed; Grafana refuses"}, ExitFindings},
		{"too short", "{}", "", "", "", []string{"  refused  MANIFEST.txt: it is not a signed message"}, ExitFindings},
		{"unsigned", "", "", "", "https://example.org", []string{"  missing  MANIFEST.json", "  unsigned MANIFEST.txt is missing"}, ExitFindings},
	} {
		dir := t.TempDir()
		testkit.OK(t, os.CopyFS(dir, os.DirFS(dist)))
		if c.manifest != "" {
			testkit.WriteFile(t, filepath.Join(dir, "MANIFEST.txt"), c.manifest)
		}
		if c.file != "" {
			testkit.WriteFile(t, filepath.Join(dir, c.file), c.text)
		}
		var b strings.Builder
		err := runVerify(t.Context(), &b, verifyOptions{Paths: []string{dir}, RootURL: c.root, Signers: key.Public})
		for _, want := range c.want {
			if code(err) != c.exit || !strings.Contains(b.String(), want) {
				t.Errorf("%s: exit status %d, want %d and %q in\n%s", c.name, code(err), c.exit, want, &b)
			}
		}
	}
}
