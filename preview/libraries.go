package preview

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/Masterminds/semver/v3"

	"github.com/slipway-dev/slipway/bundle/ranges"
	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/internal/limit"
)

// Libraries are the packages that hosts share with plugins, and that the page consists of.
type Libraries struct {
	Version string // of @grafana/ui, @grafana/data and @grafana/runtime
	React   string // version
	Dir     string // absolute; its node_modules, or one above, has the packages
	Lock    *Lock  // that they come from; nil if the repository has them
	Extra   string // directory whose node_modules has what the repository lacks; may be ""
}

// HasRefresh reports whether the libraries include React Fast Refresh.
func (l Libraries) HasRefresh() bool {
	return packageVersion(l.Dir, "react-refresh") != "" || l.Extra != "" && packageVersion(l.Extra, "react-refresh") != ""
}

// String describes the libraries, as in "libraries 12.4.10 with React 18.3.1, from node_modules".
func (l Libraries) String() string {
	from := "node_modules"
	if l.Lock != nil {
		from = "Slipway's lock"
	}
	return fmt.Sprintf("libraries %s with React %s, from %s", l.Version, l.React, from)
}

// Minor returns the minor version, such as 12.4.
func (l Libraries) Minor() string {
	v, err := semver.NewVersion(l.Version)
	if err != nil {
		return l.Version
	}
	return fmt.Sprintf("%d.%d", v.Major(), v.Minor())
}

// modulesWith returns the nearest node_modules with a package that files in dir can import, or "".
func modulesWith(dir, name string) string {
	for ; ; dir = filepath.Dir(dir) {
		modules := filepath.Join(dir, "node_modules")
		if _, err := os.Stat(filepath.Join(modules, filepath.FromSlash(name), "package.json")); err == nil && !tree.IsLaidOut(modules) {
			return modules
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// packageDir returns the real directory of a package that files in dir import, beside which is what it imports, or "".
func packageDir(dir, name string) string {
	modules := modulesWith(dir, name)
	if modules == "" {
		return ""
	}
	real, err := filepath.EvalSymlinks(filepath.Join(modules, filepath.FromSlash(name)))
	if err != nil {
		return ""
	}
	return real
}

// manifest is the part of a package.json that is read.
type manifest struct {
	Version                       string
	Dependencies, DevDependencies map[string]string
}

// manifestIn reads the package.json in a directory. One that cannot be read is empty: whoever installs or builds says why.
func manifestIn(dir string) (m manifest) {
	if text, err := limit.ReadSettings(filepath.Join(dir, "package.json")); err == nil {
		_ = json.Unmarshal(text, &m)
	}
	return m
}

// packageVersion returns the version of a package that files in dir import, or "".
func packageVersion(dir, name string) string {
	if found := packageDir(dir, name); found != "" {
		return manifestIn(found).Version
	}
	return ""
}

// installed returns the libraries in the node_modules of a repository. ok is false if they are
// incomplete, have different versions, or are older than those that the page supports.
func installed(root string) (l Libraries, ok bool) {
	l = Libraries{Version: packageVersion(root, "@grafana/ui"), React: packageVersion(root, "react"), Dir: root}
	for _, name := range []string{"@grafana/data", "@grafana/runtime"} {
		if packageVersion(root, name) != l.Version {
			return Libraries{}, false
		}
	}
	v, err := semver.NewVersion(l.Version)
	isSupported := err == nil && !v.LessThan(semver.MustParse(minorVersions()[0]))
	return l, isSupported && l.React != "" && packageVersion(root, "react-dom") == l.React
}

// Choose returns the libraries for the preview of a repository: those of a minor version, or if with is "", those in
// node_modules, else those that it was written for. Lock.Install downloads them.
func Choose(root, with, hostRange string) (Libraries, error) {
	if with == "" {
		if l, ok := installed(root); ok {
			return l, nil
		}
		with = writtenFor(root, hostRange)
	}
	lock, err := readLock(with)
	if err != nil {
		return Libraries{}, err
	}
	return Libraries{Version: lock.Version("@grafana/ui"), React: lock.Version("react"), Lock: lock}, nil
}

// Bring installs the libraries if they come from a lock. Dir stays "" if they are not installed, and o is offline.
func (l *Libraries) Bring(ctx context.Context, o InstallOptions) (err error) {
	if l.Lock != nil {
		l.Dir, err = l.Lock.Install(ctx, o)
	}
	return err
}

// AddRefresh adds the runtime of React Fast Refresh, which repositories do not have.
func (l *Libraries) AddRefresh(ctx context.Context, o InstallOptions) error {
	if l.HasRefresh() {
		return nil
	}
	lock, err := RefreshLock()
	if err == nil {
		l.Extra, err = lock.Install(ctx, o)
	}
	return err
}

// writtenFor returns the newest minor that package.json allows for @grafana/ui, whose types the author sees, else the
// nearest newer one, else the newest in its range of hosts.
func writtenFor(root, hostRange string) string {
	about, minors := manifestIn(root), minorVersions()
	for _, wanted := range []string{about.Dependencies["@grafana/ui"], about.DevDependencies["@grafana/ui"], hostRange} {
		r, err := ranges.Parse(wanted)
		if err != nil {
			continue
		}
		for _, minor := range slices.Backward(minors) {
			if admits(r, minor) {
				return minor
			}
		}
		lowest, ok := r.Lowest()
		for _, minor := range minors {
			if ok && !semver.MustParse(minor).LessThan(semver.New(lowest.Major(), lowest.Minor(), 0, "", "")) {
				return minor
			}
		}
	}
	return minors[len(minors)-1]
}

// admits reports whether a range admits the version of a minor that has a lock.
func admits(r ranges.Range, minor string) bool {
	lock, err := readLock(minor)
	if err != nil {
		return false
	}
	v, err := semver.NewVersion(lock.Version("@grafana/ui"))
	return err == nil && r.Admits(v)
}
