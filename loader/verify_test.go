//go:build unix

package loader

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/archive"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk"
)

func signingKey(seed byte) (ed25519.PrivateKey, archive.PublicKey) {
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
	return key, archive.NewPublicKey(key.Public().(ed25519.PublicKey))
}

// writePackaged writes a plugin and a panel nested in it. If it has a backend, the executable
// is a copy, since a manifest allows no link out of the plugin.
func writePackaged(t *testing.T, root, id string, hasBackend bool) string {
	t.Helper()
	dir := writePlugin(t, root, id, "ok", "")
	executable := filepath.Join(dir, bundle.Host().Executable("gpx_ok"))
	if hasBackend {
		replaceWithCopy(t, executable)
	} else if err := os.Remove(executable); err != nil {
		t.Fatal(err)
	} else {
		testkit.WriteFile(t, executable, "never started")
		testkit.WriteFile(t, filepath.Join(dir, "plugin.json"), `{"id": "`+id+`", "type": "app", "executable": "gpx_ok", "info": {"version": "1.0.0"}}`)
	}
	testkit.WriteFile(t, filepath.Join(dir, "module.js"), "define([], function () {});")
	testkit.WriteFile(t, filepath.Join(dir, "panel", "plugin.json"), `{"id": "acme-nested-panel", "type": "panel", "info": {"version": "1.0.0"}}`)
	return dir
}

func replaceWithCopy(t *testing.T, link string) {
	t.Helper()
	from := testkit.Must(os.Open(link))(t)
	defer from.Close()
	testkit.OK(t, os.Remove(link))
	to := testkit.Must(os.OpenFile(link, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755))(t)
	if _, err := io.Copy(to, from); errors.Join(err, to.Close()) != nil {
		t.Fatal(err)
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	key, trusted := signingKey(1)
	otherKey, otherTrusted := signingKey(2)
	manifest := func(t *testing.T, dir string) {
		testkit.Must(archive.WriteManifest(dir))(t)
	}
	sign := func(key ed25519.PrivateKey) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			testkit.Must(archive.Sign(dir, key))(t)
		}
	}
	edit := func(name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) { testkit.WriteFile(t, filepath.Join(dir, name), "changed") }
	}
	for _, c := range []struct {
		name   string
		change []func(*testing.T, string)
		keys   []archive.PublicKey
		want   string // part of the reason; "" if both plugins are mounted
	}{
		{name: "no manifest"},
		{name: "manifest", change: []func(*testing.T, string){manifest}},
		{name: "signed by an unknown key, without trusted keys", change: []func(*testing.T, string){sign(otherKey)}},
		{name: "signed", change: []func(*testing.T, string){sign(key)}, keys: []archive.PublicKey{otherTrusted, trusted}},
		{name: "signed by another service", change: []func(*testing.T, string){edit("MANIFEST.txt")}},
		{name: "manifest of a web app", change: []func(*testing.T, string){edit("manifest.json")}},
		{name: "changed", change: []func(*testing.T, string){manifest, edit("module.js")}, want: "module.js: changed after the manifest was written: install the plugin again"},
		{name: "nested plugin.json changed", change: []func(*testing.T, string){manifest, func(t *testing.T, dir string) {
			testkit.WriteFile(t, filepath.Join(dir, "panel", "plugin.json"), `{"id": "acme-nested-panel", "type": "panel", "info": {"version": "1.0.1"}}`)
		}}, want: "panel/plugin.json: changed"},
		{name: "executable that leads out", change: []func(*testing.T, string){manifest, func(t *testing.T, dir string) {
			name := filepath.Join(dir, bundle.Host().Executable("gpx_ok"))
			testkit.OK(t, os.Rename(name, dir+"-outside"), os.Symlink(dir+"-outside", name))
		}}, want: "a symbolic link that does not lead to a file of the plugin"},
		{name: "unsigned, but keys are trusted", keys: []archive.PublicKey{trusted}, want: "the plugin is not signed: MANIFEST.json.minisig is missing: install a release that is signed"},
		{name: "signed by another key", change: []func(*testing.T, string){sign(otherKey)}, keys: []archive.PublicKey{trusted}, want: "signed with a key that is not trusted: " + otherTrusted.ID()},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			dir := writePackaged(t, root, "acme-tide-app", false)
			for _, change := range c.change {
				change(t, dir)
			}
			l := start(t, Options{Dirs: []string{root}, TrustedKeys: c.keys})
			faults := l.Faults()
			if c.want == "" {
				if len(l.Plugins()) != 2 || len(faults) > 0 {
					t.Errorf("%d plugins are mounted; faults: %v", len(l.Plugins()), faults)
				}
				for _, p := range l.Plugins() {
					if p.IsSigned() != (c.keys != nil) {
						t.Errorf("%s is signed: %v", p.ID(), p.IsSigned())
					}
				}
				return
			}
			if len(l.Plugins()) > 0 || len(faults) != 2 {
				t.Fatalf("%d plugins are mounted; faults: %v", len(l.Plugins()), faults)
			}
			for _, f := range faults {
				if f.Code.Stage() != bundle.StageVerify || !strings.Contains(f.Error(), c.want) {
					t.Errorf("%s %s: %s, want %q", f.Code, f.PluginID, f.Reason, c.want)
				}
			}
		})
	}
}

// TestVerifyExecutable replaces an executable after its plugin was mounted and ends the
// process: what the manifest does not list never runs.
func TestVerifyExecutable(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := writePackaged(t, root, "acme-tide-app", true)
	testkit.Must(archive.WriteManifest(dir))(t)
	l := start(t, Options{Dirs: []string{root}})
	p := mustPlugin(t, l, "acme-tide-app")
	ran := filepath.Join(root, "ran")
	executable := filepath.Join(dir, bundle.Host().Executable("gpx_ok"))
	testkit.OK(t, os.Remove(executable), os.WriteFile(executable, []byte("#!/bin/sh\ntouch "+ran+"\n"), 0o755))
	signal(t, p.Status().PID, syscall.SIGKILL)
	awaitStatus(t, p, func(s Status) bool { return s.State == StateFailed })
	if s := p.Status(); !strings.Contains(s.Reason, bundle.Host().Executable("gpx_ok")+": changed after the manifest was written") {
		t.Errorf("reason: %s", s.Reason)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("an executable that the manifest does not list ran")
	}
}

// TestVerifyMetadata replaces plugin.json between the discovery of a plugin and its
// verification.
func TestVerifyMetadata(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := writePackaged(t, root, "acme-tide-app", false)
	file := filepath.Join(dir, bundle.MetadataFile)
	listed := testkit.Must(os.ReadFile(file))(t)
	testkit.Must(archive.WriteManifest(dir))(t)
	discover := func(metadata string) ([]mounted, []bundle.Fault) {
		testkit.WriteFile(t, file, metadata)
		found, faults := bundle.Discover(root)
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		testkit.WriteFile(t, file, string(listed))
		return Options{}.withDefaults().verify(found)
	}
	for _, change := range [][2]string{{"gpx_ok", "../evil"}, {"acme-tide-app", "acme-evil-app"}} {
		mounts, faults := discover(strings.Replace(string(listed), change[0], change[1], 1))
		if len(faults) != 1 || faults[0].Code != bundle.FaultChanged || len(mounts) != 1 || mounts[0].Metadata.ID == faults[0].PluginID {
			t.Errorf("%+v, %v", mounts, faults)
		}
	}
}

func TestStartVerifies(t *testing.T) {
	t.Parallel()
	dir := writePackaged(t, t.TempDir(), "acme-tide-app", true)
	testkit.Must(archive.WriteManifest(dir))(t)
	found, _ := bundle.Discover(dir)
	p := testkit.Must(Start(t.Context(), found[0], Options{}, Output{}))(t)
	if result, err := p.Client().CheckHealth(t.Context(), &sdk.CheckHealthRequest{}); err != nil || result.Status != sdk.HealthOK {
		t.Errorf("%v, %v", result, err)
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
	testkit.WriteFile(t, filepath.Join(dir, "module.js"), "changed")
	if p, err := Start(t.Context(), found[0], Options{}, Output{}); err == nil || !strings.Contains(err.Error(), "module.js: changed") {
		t.Errorf("%v, %v", p, err)
	}
}

// A manifest covers the plugins in its directory even if the plugin that it belongs to cannot
// be mounted.
func TestManifestOfABrokenPlugin(t *testing.T) {
	t.Parallel()
	const metadata = `{"id":"acme-tide-app","name":"x","type":"app","info":{"version":"1.0.0"}}`
	for name, c := range map[string]struct {
		parent    string // plugin.json of the plugin with the manifest, after it was written
		isMounted bool   // before the change
	}{
		"broken":          {parent: "{"},
		"broken later":    {parent: "{", isMounted: true},
		"duplicate":       {parent: metadata},
		"unchanged":       {parent: metadata, isMounted: true},
		"without an id":   {parent: `{"type":"app"}`},
		"of another kind": {parent: `{"id":"acme-tide-app","type":"x"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			ran := filepath.Join(root, "ran")
			first, dir := filepath.Join(root, "1"), filepath.Join(root, "2")
			executable := filepath.Join(dir, "ds", bundle.Host().Executable("gpx_x"))
			program := func(text string) {
				testkit.OK(t, os.WriteFile(executable, []byte("#!/bin/sh\n"+text), 0o755))
			}
			if name == "duplicate" {
				testkit.WriteFile(t, filepath.Join(first, bundle.MetadataFile), metadata)
			}
			testkit.WriteFile(t, filepath.Join(dir, bundle.MetadataFile), metadata)
			testkit.WriteFile(t, filepath.Join(dir, "ds", bundle.MetadataFile), `{"id":"acme-tide-datasource","name":"x","type":"datasource","backend":true,"executable":"gpx_x","info":{"version":"1.0.0"}}`)
			program("exit 0\n")
			testkit.Must(archive.WriteManifest(dir))(t)
			o := Options{Dirs: []string{root}}
			var l *Loader
			if c.isMounted {
				l = start(t, o)
			}
			program("touch " + ran + "\n")
			testkit.WriteFile(t, filepath.Join(dir, bundle.MetadataFile), c.parent)
			if c.isMounted {
				reload(t, l)
			} else {
				l = start(t, o)
			}
			if _, ok := l.Plugin("acme-tide-datasource"); ok {
				t.Error("the nested plugin is mounted")
			}
			if _, err := os.Stat(ran); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("an executable that the manifest does not list ran (%v)", err)
			}
		})
	}
}
