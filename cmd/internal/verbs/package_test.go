package verbs

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/templates"
)

// fakeBundler returns a bundle, or reports missing packages until they may be downloaded.
type fakeBundler struct {
	needsDownload bool
	packages      int64
}

func (b fakeBundler) Bundle(_ context.Context, f build.Frontend) (*build.Module, error) {
	if b.needsDownload && !f.Download {
		return nil, build.ErrNotDownloaded
	}
	return &build.Module{Files: map[string][]byte{"module.js": []byte("define([], function () {});")}, Packages: b.packages, Bytes: 2_500_000}, nil
}

// panel scaffolds a panel. If it is not in TypeScript, its module needs no bundler.
func panel(t *testing.T, isTypeScript bool) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "acme-x-panel")
	w, _ := captured(t)
	testkit.OK(t, runScaffold(t.Context(), w, scaffoldOptions{Options: templates.Options{Type: "panel", ID: "acme-x-panel", Dir: dir}}))
	if !isTypeScript {
		testkit.OK(t, os.Remove(filepath.Join(dir, "src", "module.ts")))
		testkit.WriteFile(t, filepath.Join(dir, "src", "module.js"), "define([], function () {});")
	}
	return dir
}

func TestPackage(t *testing.T) {
	t.Parallel()
	dir, out := panel(t, false), filepath.Join(t.TempDir(), "out")
	w, _ := captured(t)
	err := runPackage(t.Context(), w, packageOptions{Dir: dir, Out: out, Face: Mage})
	if err == nil || !strings.Contains(err.Error(), "dist/plugin.json does not exist; build the plugin first with go tool mage build") {
		t.Errorf("before the build: %v", err)
	}
	testkit.Must(Build(t.Context(), w, BuildOptions{Dir: dir}))(t)
	w, printed := captured(t)
	testkit.OK(t, runPackage(t.Context(), w, packageOptions{Dir: dir, Out: out}))
	want := []string{"acme-x-panel-0.1.0.cdx.json", "acme-x-panel-0.1.0.zip", "acme-x-panel-0.1.0.zip.sha1", "acme-x-panel-0.1.0.zip.sha256"}
	var got []string
	entries, err := os.ReadDir(out)
	for _, e := range entries {
		got = append(got, e.Name())
		isSum := strings.HasPrefix(filepath.Ext(e.Name()), ".sha")
		if !isSum && !strings.Contains(printed(), e.Name()) {
			t.Errorf("%s is not among\n%s", e.Name(), printed())
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	testkit.OK(t, os.Remove(filepath.Join(dir, "dist", "module.js")))
	err = runPackage(t.Context(), w, packageOptions{Dir: dir, Out: out, Face: Mage})
	if err == nil || err.Error() != "package: dist has no module.js, which a plugin of type panel needs; build the whole plugin with go tool mage build" {
		t.Errorf("without a frontend: %v", err)
	}
	testkit.WriteFile(t, filepath.Join(dir, "dist", "plugin.json"), strings.Replace(testkit.ReadFile(t, filepath.Join(dir, "dist", "plugin.json")), `"panel"`, `"panell"`, 1))
	before := testkit.ReadFile(t, filepath.Join(out, "acme-x-panel-0.1.0.zip"))
	fresh := filepath.Join(t.TempDir(), "fresh")
	for _, to := range []string{out, fresh} {
		err := runPackage(t.Context(), w, packageOptions{Dir: dir, Out: to})
		if err == nil || !strings.Contains(err.Error(), "\n  dist/plugin.json:") || strings.Contains(err.Error(), to) {
			t.Errorf("a plugin with an unknown type: %v", err)
		}
	}
	if _, err := os.Stat(fresh); !os.IsNotExist(err) {
		t.Errorf("an empty directory is left behind: %v", err)
	}
	if entries, err := os.ReadDir(out); err != nil || len(entries) != len(want) {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	if testkit.ReadFile(t, filepath.Join(out, "acme-x-panel-0.1.0.zip")) != before {
		t.Error("the zip that was packed before is gone")
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
	if !strings.Contains(printed(), " kB  acme-x-panel-0.1.0.zip\n") {
		t.Errorf("the table is\n%s", printed())
	}
}

func TestDeps(t *testing.T) {
	t.Parallel()
	w, printed := captured(t)
	if err := runDeps(t.Context(), w, depsOptions{Dir: panel(t, false)}); err != nil || !strings.Contains(printed(), "no frontend to bundle") {
		t.Errorf("%v %s", err, printed())
	}
	dir := panel(t, true)
	bundler := fakeBundler{needsDownload: true, packages: 3}
	_, err := Build(t.Context(), w, BuildOptions{Dir: dir, Bundler: bundler, Face: Mage})
	if err == nil || !strings.Contains(err.Error(), "download them with go tool mage deps") {
		t.Error(err)
	}
	w, printed = captured(t)
	if err := runDeps(t.Context(), w, depsOptions{Dir: dir, Bundler: bundler}); err != nil || !strings.Contains(printed(), "downloaded 3 packages, 2.5 MB, in ") {
		t.Errorf("%v %s", err, printed())
	}
	w, printed = captured(t)
	if err := runDeps(t.Context(), w, depsOptions{Dir: dir, Bundler: fakeBundler{packages: 1}}); err != nil || !strings.Contains(printed(), "downloaded 1 package, ") {
		t.Errorf("%v %s", err, printed())
	}
	if _, err := Build(t.Context(), w, BuildOptions{Dir: dir, Bundler: fakeBundler{}}); err != nil {
		t.Error(err)
	}
	if err := runDeps(t.Context(), w, depsOptions{Dir: t.TempDir()}); code(err) != ExitUsage {
		t.Error(err)
	}
	testkit.WriteFile(t, filepath.Join(dir, "slipway.yaml"), "frontend:\n  command: make\n")
	w, printed = captured(t)
	if err := runDeps(t.Context(), w, depsOptions{Dir: dir, Bundler: bundler}); err != nil || !strings.Contains(printed(), "needs no packages from Slipway") {
		t.Errorf("%v %s", err, printed())
	}
}

// once is a bundler whose packages are missing until they are downloaded.
type once struct{ downloaded bool }

func (o *once) Bundle(ctx context.Context, f build.Frontend) (*build.Module, error) {
	o.downloaded = o.downloaded || f.Download
	return fakeBundler{needsDownload: !o.downloaded, packages: 1}.Bundle(ctx, f)
}

func TestBuildAsksToDownload(t *testing.T) {
	t.Parallel()
	for response, wantBuilt := range map[string]bool{"\n": true, "maybe\nyes\n": true, "no\n": false, "": false} {
		w, printed := captured(t)
		bundler := &once{}
		_, err := Build(t.Context(), w, BuildOptions{Dir: panel(t, true), Bundler: bundler, Face: Mage, In: strings.NewReader(response)})
		if (err == nil) != wantBuilt || bundler.downloaded != wantBuilt {
			t.Errorf("%q: downloaded %t, %v", response, bundler.downloaded, err)
		}
		if !strings.Contains(printed(), "download them now (no, yes) [yes]: ") {
			t.Errorf("%q: printed %s", response, printed())
		}
	}
}
