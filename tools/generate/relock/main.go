// Command relock writes the locks of the preview: for each minor version of the libraries, the newest
// versions that fit together, as npm resolves them, without the packages that the page does not
// import. "go tool mage previewLocks" runs it, in tools/generate.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/slipway-dev/slipway/build/packages"
	"github.com/slipway-dev/slipway/preview"
)

// sets lists the minor versions that the preview supports, and what a host of that version shares
// besides the packages of Grafana and what those depend on.
func sets() map[string][]string {
	usual := []string{"react@18", "react-dom@18", "react-redux", "redux", "react-refresh", "font-awesome@4"}
	return map[string][]string{
		"11.6": usual, "12.4": usual, "13.1": append(usual, "d3@7"),
		"13.2": {"react@19", "react-dom@19", "react-redux", "redux", "react-refresh", "font-awesome@4", "d3@7", "moment@2"},
	}
}

func main() {
	var err error
	for minor, more := range sets() {
		if len(os.Args) > 1 && !slices.Contains(os.Args[1:], minor) {
			continue
		}
		if e := relock(context.Background(), minor, more); e != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", minor, e))
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func relock(ctx context.Context, minor string, more []string) (err error) {
	names, version, err := newest(ctx, minor)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "slipway-relock-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private": true}`), 0o644); err != nil {
		return err
	}
	args := []string{"install", "--save-exact", "--ignore-scripts", "--no-audit", "--no-fund"}
	for _, name := range names {
		args = append(args, name+"@"+version)
	}
	fmt.Println(minor, "npm", strings.Join(append(args, more...), " "))
	if _, err := npm(ctx, dir, append(args, more...)...); err != nil {
		return err
	}
	imported, err := preview.Imported(ctx, preview.Libraries{Version: version, Dir: dir})
	if err != nil {
		return err
	}
	text, err := pruned(ctx, dir, imported)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join("..", "..", "preview", "locks", minor+".json"), text, 0o644)
}

// newest returns the packages of Grafana that the minor version has, and the newest version that all
// of them have.
func newest(ctx context.Context, minor string) (names []string, version string, err error) {
	releases, err := semver.NewConstraint("~" + minor)
	if err != nil {
		return nil, "", err
	}
	var common []*semver.Version
	for _, name := range []string{"@grafana/data", "@grafana/ui", "@grafana/runtime", "@grafana/schema", "@grafana/i18n"} {
		out, err := npm(ctx, "", "view", name, "versions", "--json")
		if err != nil {
			return nil, "", err
		}
		var versions []*semver.Version
		if err := json.Unmarshal(out, &versions); err != nil {
			return nil, "", err
		}
		versions = slices.DeleteFunc(versions, func(v *semver.Version) bool { return !releases.Check(v) })
		if len(versions) == 0 {
			continue // it is younger
		}
		names = append(names, name)
		common = slices.DeleteFunc(versions, func(v *semver.Version) bool {
			return len(names) > 1 && !slices.ContainsFunc(common, v.Equal)
		})
	}
	if len(common) == 0 {
		return nil, "", errors.New("no version that all packages have")
	}
	return names, slices.MaxFunc(common, (*semver.Version).Compare).String(), nil
}

// lockfile is the part of a lockfile that a lock of the preview has, with how much it is to download.
type lockfile struct {
	Version  int              `json:"lockfileVersion"`
	Bytes    int64            `json:"bytes"`
	Packages map[string]entry `json:"packages"`
}

type entry struct {
	Name      string `json:"name,omitempty"` // unless the directory has it
	Version   string `json:"version"`
	Integrity string `json:"integrity"`
}

// pruned returns the part of the lockfile in a directory about some packages, which it downloads once
// more as the preview does.
func pruned(ctx context.Context, dir string, imported []string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock lockfile
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, err
	}
	maps.DeleteFunc(lock.Packages, func(at string, _ entry) bool { return !slices.Contains(imported, at) })
	if len(lock.Packages) != len(imported) {
		return nil, errors.New("the lockfile lacks packages that npm has installed")
	}
	store, err := packages.Open(packages.Options{Root: dir, CacheDir: filepath.Join(dir, "cache"), Environ: os.Environ()})
	if err != nil {
		return nil, err
	}
	for at := range lock.Packages {
		i := strings.LastIndex("/"+at, "/node_modules/")
		if _, _, err := store.Dir(ctx, filepath.Join(dir, at[:i], "package.json"), at[i+len("node_modules/"):]); err != nil {
			return nil, err
		}
	}
	_, lock.Bytes = store.Downloaded()
	fmt.Printf("%d packages, %.1f MB\n", len(lock.Packages), float64(lock.Bytes)/1e6)
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	err = encoder.Encode(lock)
	return out.Bytes(), err
}

// npm runs npm and returns what it prints.
func npm(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "npm", args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("npm %s: %w", strings.Join(args[:min(2, len(args))], " "), err)
	}
	return out, err
}
