package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// repository makes a git repository with a small command in place of Slipway.
func repository(t *testing.T) *release {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		".gitignore":               "/dist/\n",
		"go.mod":                   "module github.com/slipway-dev/slipway\n\ngo 1.26\n",
		"cmd/slipway/main.go":      "package main\n\nfunc main() { println(\"slipway\") }\n",
		"cmd/slipway-host/main.go": "package main\n\nfunc main() { println(\"host\") }\n",
		"LICENSE":                  "license\n",
		"README.md":                "readme\n",
		"CHANGELOG.md":             "# Changelog\n\n## Unreleased\n\n- next\n\n## [1.2.3] - 2026-11-21\n\n- first\n- second\n\n## v1.0.0\n\n- old\n",
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	runGit(t, root, "init", "-q")
	runGit(t, root, "add", ".")
	runGit(t, root, "-c", "user.name=T", "-c", "user.email=t@example.com", "commit", "-q", "-m", "first")
	return &release{
		root: root, out: filepath.Join(root, "dist", "release"), progress: io.Discard,
		platforms: []platform{{"linux", runtime.GOARCH}, {"windows", "amd64"}},
	}
}

func runGit(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE=2026-11-21T12:34:56Z", "GIT_CONFIG_GLOBAL="+os.DevNull)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", args[0], err, out)
	}
}

func readFile(t *testing.T, elements ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(elements...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestLinkedWorktree checks that a release without a version in its executables fails.
func TestLinkedWorktree(t *testing.T) {
	t.Parallel()
	r := repository(t)
	runGit(t, r.root, "tag", "v1.2.3")
	runGit(t, r.root, "tag", "targets/v1.2.3")
	linked := filepath.Join(t.TempDir(), "linked")
	runGit(t, r.root, "worktree", "add", "-q", linked)
	r.root, r.out = linked, filepath.Join(linked, "dist", "release")
	if _, err := r.prepare(t.Context()); err != nil && !strings.Contains(err.Error(), "build in a clone of the repository") {
		t.Error(err)
	}
}

// TestReproducible checks that two dry runs on the same commit in different
// directories give the same files.
func TestReproducible(t *testing.T) {
	t.Parallel()
	one := repository(t)
	other := filepath.Join(t.TempDir(), "clone")
	runGit(t, one.root, "clone", "-q", one.root, other)
	two := *one
	two.root, two.out = other, filepath.Join(other, "dist", "release")
	var names [2][]string
	for i, r := range []*release{one, &two} {
		r.isDry = true
		var err error
		if names[i], err = r.prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(1100 * time.Millisecond) // archives have times in seconds
	}
	if len(names[0]) != 5 || !slices.Equal(names[0], names[1]) {
		t.Fatalf("files %v and %v", names[0], names[1])
	}
	for _, name := range names[0] {
		if !bytes.Equal(readFile(t, one.out, name), readFile(t, two.out, name)) {
			t.Errorf("%s differs", name)
		}
	}
	if !strings.HasPrefix(one.version, "v0.0.0-20261121123456-") {
		t.Errorf("version %s", one.version)
	}
	if notes := string(readFile(t, one.out, notesFile)); notes != "- next\n" {
		t.Errorf("notes %q", notes)
	}
}

func TestRelease(t *testing.T) {
	t.Parallel()
	r := repository(t)
	refuses := func(want string) {
		t.Helper()
		if _, err := r.prepare(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
		if _, err := os.Stat(r.out); err == nil {
			t.Error("files were written")
		}
	}
	refuses("has no tag such as v1.2.3")
	runGit(t, r.root, "tag", "v1.2.4")
	runGit(t, r.root, "tag", "targets/v1.2.4")
	refuses("CHANGELOG.md has no section ## 1.2.4")
	runGit(t, r.root, "tag", "v1.2.3")
	refuses("has several tags: v1.2.3, v1.2.4")
	runGit(t, r.root, "tag", "-d", "v1.2.4")
	refuses("has no tag targets/v1.2.3")
	runGit(t, r.root, "tag", "targets/v1.2.3")
	extra := filepath.Join(r.root, "extra")
	if err := os.WriteFile(extra, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	refuses("uncommitted changes:\n?? extra")
	if err := os.Remove(extra); err != nil {
		t.Fatal(err)
	}
	names, err := r.prepare(t.Context()) // fails if the executables do not have the version
	if err != nil {
		t.Fatal(err)
	}
	archive, zipped, sbom := "slipway_v1.2.3_linux_"+runtime.GOARCH+".tar.gz", "slipway_v1.2.3_windows_amd64.zip", "slipway_v1.2.3.cdx.json"
	if want := []string{archive, zipped, sbom, sumsFile, notesFile}; !slices.Equal(names, want) {
		t.Fatalf("files %v, want %v", names, want)
	}
	if notes := string(readFile(t, r.out, notesFile)); notes != "- first\n- second\n" {
		t.Errorf("notes %q", notes)
	}
	if sums, err := checksums(r.out, names[:3]); err != nil || !bytes.Equal(sums, readFile(t, r.out, sumsFile)) || bytes.Count(sums, []byte("\n")) != 3 {
		t.Errorf("checksums %s (%v)", sums, err)
	}
	checkTar(t, readFile(t, r.out, archive), r.date)
	checkZip(t, readFile(t, r.out, zipped), r.date)
	var document struct {
		BOMFormat, SpecVersion string
		Metadata               struct {
			Timestamp string
			Component struct{ Name, Version string }
		}
		Components []struct{ Name, Version, Purl string }
	}
	if err := json.Unmarshal(readFile(t, r.out, sbom), &document); err != nil {
		t.Fatal(err)
	}
	if document.BOMFormat != "CycloneDX" || document.SpecVersion != "1.6" || document.Metadata.Timestamp != "2026-11-21T12:34:56Z" ||
		document.Metadata.Component.Name != "github.com/slipway-dev/slipway" || document.Metadata.Component.Version != "v1.2.3" {
		t.Errorf("SBOM of %+v", document)
	}
	if len(document.Components) != 1 || document.Components[0].Name != "std" || "go"+document.Components[0].Version != runtime.Version() {
		t.Errorf("components %+v, want the standard library", document.Components)
	}
}

// sabotage makes a directory where a file of the release belongs.
type sabotage string

func (s sabotage) Write(p []byte) (int, error) { return len(p), os.MkdirAll(string(s), 0o755) }

// TestIncomplete checks that an incomplete release does not replace another one.
func TestIncomplete(t *testing.T) {
	t.Parallel()
	for _, name := range []string{sumsFile, notesFile} {
		r := repository(t)
		r.isDry, r.platforms, r.progress = true, r.platforms[:1], sabotage(filepath.Join(r.out+".new", name))
		old := filepath.Join(r.out, "old")
		if err := os.MkdirAll(old, 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := r.prepare(t.Context()); err == nil {
			t.Errorf("no error without %s", name)
		}
		if _, err := os.Stat(old); err != nil {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

func checkTar(t *testing.T, data []byte, date time.Time) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var entries []string
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, h.FileInfo().Mode().String()+" "+h.Name)
		if !h.ModTime.Equal(date) || h.Uid != 0 || h.Gid != 0 || h.Uname != "" || h.Gname != "" {
			t.Errorf("%s: %s, owner %d %s, group %d %s", h.Name, h.ModTime, h.Uid, h.Uname, h.Gid, h.Gname)
		}
	}
	checkEntries(t, entries, "slipway_v1.2.3_linux_"+runtime.GOARCH, "slipway", "slipway-host")
}

func checkZip(t *testing.T, data []byte, date time.Time) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var entries []string
	for _, f := range z.File {
		entries = append(entries, f.Mode().String()+" "+f.Name)
		if !f.Modified.Equal(date) {
			t.Errorf("%s: %s", f.Name, f.Modified)
		}
	}
	checkEntries(t, entries, "slipway_v1.2.3_windows_amd64", "slipway-host.exe", "slipway.exe")
}

func checkEntries(t *testing.T, got []string, top string, executables ...string) {
	t.Helper()
	var want []string
	for _, name := range executables {
		want = append(want, "-rwxr-xr-x "+top+"/"+name)
	}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		want = append(want, "-rw-r--r-- "+top+"/"+name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("entries\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
