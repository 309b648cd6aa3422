package verbs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/internal/limit"
)

// frontend is what a repository says about the scripts of its frontend.
type frontend struct {
	dir     string
	manager string // the package manager: npm, yarn, pnpm or bun
	scripts map[string]string
	missing string // why no script can run, or ""
	err     error  // package.json is there, and cannot be read
}

// readFrontend reads package.json, and finds the package manager and the packages, perhaps of the repository around.
func readFrontend(dir string) (f frontend) {
	f = frontend{dir: dir, manager: packageManager(dir)}
	data, err := limit.ReadSettings(filepath.Join(dir, "package.json"))
	if errors.Is(err, fs.ErrNotExist) {
		f.missing = "the repository has no package.json"
		return f
	}
	var manifest struct{ Scripts map[string]string }
	if err == nil {
		err = json.Unmarshal(data, &manifest)
	}
	if err != nil {
		f.err = fmt.Errorf("package.json: %w", err)
		return f
	}
	switch modules := findUpwards(dir, "node_modules", ".pnp.cjs"); {
	case modules == "" || tree.IsLaidOut(modules):
		f.missing = "no package manager has written node_modules; run " + f.manager + " install first"
		if _, err := os.Stat(filepath.Join(dir, "package-lock.json")); err == nil {
			f.missing = "no package manager has written node_modules; run npm ci first"
		}
	default:
		if _, err := exec.LookPath(f.manager); err != nil {
			f.missing = f.manager + " is not installed"
		}
	}
	f.scripts = manifest.Scripts
	return f
}

// run runs the first of the scripts that package.json has, if any, and prints why not after what.
func (f frontend) run(ctx context.Context, w *os.File, what string, names ...string) (ran bool, err error) {
	if f.err != nil {
		return false, f.err
	}
	why := f.missing
	i := slices.IndexFunc(names, func(name string) bool { return f.scripts[name] != "" })
	if why == "" && i < 0 {
		why = "package.json has no script " + names[len(names)-1]
	}
	if why != "" {
		fmt.Fprintf(w, "%s: %s\n", what, why)
		return false, nil
	}
	return true, runTool(ctx, w, f.dir, f.manager, "run", names[i])
}

// packageManager returns the package manager that package.json names, else that of the lockfile, else npm.
func packageManager(dir string) string {
	known := []string{"npm", "yarn", "pnpm", "bun"}
	for at := range upwards(dir) {
		var manifest struct{ PackageManager string }
		if data, err := limit.ReadSettings(filepath.Join(at, "package.json")); err == nil && json.Unmarshal(data, &manifest) == nil {
			if name, _, _ := strings.Cut(manifest.PackageManager, "@"); slices.Contains(known, name) {
				return name
			}
		}
	}
	lock := findUpwards(dir, "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb")
	for _, name := range known[1:] {
		if strings.HasPrefix(filepath.Base(lock), name) {
			return name
		}
	}
	return known[0]
}

// findUpwards returns the first of the files in a directory or the repository around it, or "".
func findUpwards(dir string, names ...string) string {
	for at := range upwards(dir) {
		for _, name := range names {
			file := filepath.Join(at, name)
			if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
				return file
			}
		}
	}
	return ""
}

// upwards yields a directory and those above it, up to the root of its Git repository.
func upwards(dir string) func(yield func(string) bool) {
	boundary, isRepo := tree.Boundary(dir)
	return func(yield func(string) bool) {
		for at := dir; yield(at) && isRepo && at != boundary; at = filepath.Dir(at) {
			continue
		}
	}
}
