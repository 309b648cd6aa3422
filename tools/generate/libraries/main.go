// Command libraries writes the table of package validate/shared: which names the libraries that hosts
// share with plugins export, in each minor version. "go tool mage libraries" runs it, in the root of
// this repository.
//
// package-lock.json next to it has one version of each package for each minor version of the host,
// with its integrity. The command adds the minor versions that the registry has and the lockfile has
// not, and never changes an entry, so that the same lockfile makes the same table. Of the packages of
// others, it takes the versions that @grafana/ui, @grafana/data or @grafana/runtime of a minor version
// name, which are those of the repository in which the host is built.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/slipway-dev/slipway/build/packages"
	"github.com/slipway-dev/slipway/bundle/ranges"
)

const (
	dir   = "libraries" // from tools/generate, in which the program runs
	table = "../../validate/shared/table.txt"
	first = "8.0" // minor version of the table
)

// library is a package of others that hosts share, with the entries that plugins import.
type library struct {
	name    string
	entries []string
}

// ours lists the packages that have the version of the host.
func ours() []library {
	return []library{
		{"@grafana/data", []string{"", "/unstable"}},
		{"@grafana/runtime", []string{"", "/unstable"}},
		{"@grafana/ui", []string{"", "/unstable"}},
	}
}

// others lists the packages of others whose exports depend on the version of the host. The table lacks
//   - lodash, moment, jquery, prismjs, slate and its parts, react-inlinesvg, and the JSX runtimes: what
//     they export has not changed in the versions that hosts had;
//   - redux, react-redux, @kusto/monaco-kusto and angular, of which our packages name no version;
//   - react-router, of which they name a version only since 11.3;
//   - i18next: since 12.1, hosts share an object in its place.
//
// The packages that d3 consists of may be newer in a host than in d3's own bundle, which is read.
func others() []library {
	return []library{
		{"@emotion/css", []string{""}}, {"@emotion/react", []string{""}}, {"d3", []string{""}},
		{"react", []string{""}}, {"react-dom", []string{""}}, {"react-router-dom", []string{""}},
		{"rxjs", []string{"", "/operators"}},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	l, err := readLock(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		return err
	}
	if err := l.addOurs(ctx); err != nil {
		return err
	}
	r, err := l.open()
	if err != nil {
		return err
	}
	if err := l.addOthers(ctx, r); err != nil {
		return err
	}
	if r, err = l.open(); err != nil {
		return err
	}
	text, err := r.table(ctx, l)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d minor versions, %d bytes\n", table, len(l.minors()), len(text))
	return os.WriteFile(table, text, 0o644)
}

// lock is a lockfile of npm. The names of its entries are those of the packages with their versions,
// so that it can have several versions of one.
type lock struct {
	file     string
	Version  int              `json:"lockfileVersion"`
	Packages map[string]entry `json:"packages"`
}

type entry struct {
	Name      string `json:"name"`
	Version   string `json:"version"`
	Integrity string `json:"integrity"`
}

func readLock(file string) (*lock, error) {
	l := &lock{file: file, Version: 3, Packages: map[string]entry{}}
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return l, nil
	}
	if err == nil {
		err = json.Unmarshal(text, l)
	}
	return l, err
}

// open writes the lockfile, and opens the packages in it.
func (l *lock) open() (*reader, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(l); err != nil {
		return nil, err
	}
	if err := os.WriteFile(l.file, out.Bytes(), 0o644); err != nil {
		return nil, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	root, err := filepath.Abs(filepath.Dir(l.file))
	if err != nil {
		return nil, err
	}
	store, err := packages.Open(packages.Options{Root: root, CacheDir: filepath.Join(cache, "slipway", "libraries"), Environ: os.Environ()})
	return &reader{store: store, root: root, files: map[string]*source{}}, err
}

func alias(name, version string) string { return name + "-" + version }

// versions returns the versions of a package in the lockfile, oldest first.
func (l *lock) versions(name string) (list []string) {
	for _, e := range l.Packages {
		if e.Name == name {
			list = append(list, e.Version)
		}
	}
	slices.SortFunc(list, func(a, b string) int { return semver.MustParse(a).Compare(semver.MustParse(b)) })
	return list
}

// at returns the version of one of our packages for a minor version, or "".
func (l *lock) at(name, minor string) string {
	for _, v := range l.versions(name) {
		if minorOf(semver.MustParse(v)) == minor {
			return v
		}
	}
	return ""
}

// minors returns the minor versions of the host, such as 8.0.
func (l *lock) minors() (list []string) {
	for _, v := range l.versions("@grafana/ui") {
		list = append(list, minorOf(semver.MustParse(v)))
	}
	return list
}

func minorOf(v *semver.Version) string { return fmt.Sprintf("%d.%d", v.Major(), v.Minor()) }

// addOurs adds the newest version of each minor version that the lockfile lacks.
func (l *lock) addOurs(ctx context.Context) error {
	for _, lib := range ours() {
		out, err := npm(ctx, "view", lib.name, "versions", "--json")
		if err != nil {
			return err
		}
		var all []*semver.Version
		if err := json.Unmarshal(out, &all); err != nil {
			return err
		}
		newest := map[string]*semver.Version{} // by minor version
		for _, v := range all {
			minor := minorOf(v)
			isWanted := v.Prerelease() == "" && !v.LessThan(semver.MustParse(first)) && l.at(lib.name, minor) == ""
			if isWanted && (newest[minor] == nil || v.GreaterThan(newest[minor])) {
				newest[minor] = v
			}
		}
		var missing []string
		for _, v := range newest {
			missing = append(missing, v.String())
		}
		if err := l.add(ctx, lib.name, missing); err != nil {
			return err
		}
	}
	return nil
}

// addOthers adds the versions of the packages of others.
func (l *lock) addOthers(ctx context.Context, r *reader) error {
	for _, lib := range others() {
		var missing []string
		for _, minor := range l.minors() {
			v, err := r.required(ctx, l, lib.name, minor)
			if err != nil {
				return err
			}
			_, isLocked := l.Packages["node_modules/"+alias(lib.name, v)]
			if v != "" && !isLocked && !slices.Contains(missing, v) {
				missing = append(missing, v)
			}
		}
		if err := l.add(ctx, lib.name, missing); err != nil {
			return err
		}
	}
	return nil
}

// required returns the version of a package of others that our packages of a minor version name, or,
// if none of them does, those of the minor version before.
func (r *reader) required(ctx context.Context, l *lock, name, minor string) (string, error) {
	minors := l.minors()
	for i := slices.Index(minors, minor); i >= 0; i-- {
		if v, err := r.named(ctx, l, name, minors[i]); v != "" || err != nil {
			return v, err
		}
	}
	return "", nil
}

// named returns the version of a package of others that our packages of a minor version name: the
// lowest of a range, or "" if none names it.
func (r *reader) named(ctx context.Context, l *lock, name, minor string) (string, error) {
	for _, lib := range []string{"@grafana/ui", "@grafana/data", "@grafana/runtime"} {
		version := l.at(lib, minor)
		if version == "" {
			continue
		}
		about, _, err := r.about(ctx, lib, version)
		if err != nil {
			return "", err
		}
		for _, list := range []map[string]string{about.Dependencies, about.DevDependencies, about.PeerDependencies} {
			wanted, err := ranges.Parse(list[name])
			if err != nil {
				continue
			}
			if v, ok := wanted.Lowest(); ok && v.Major() > 0 {
				return v.String(), nil
			}
		}
	}
	return "", nil
}

// add adds versions of a package with the integrity that the registry publishes.
func (l *lock) add(ctx context.Context, name string, versions []string) error {
	if len(versions) == 0 {
		return nil
	}
	slices.Sort(versions)
	fmt.Println("adding", name, strings.Join(versions, " "))
	for _, v := range versions {
		out, err := npm(ctx, "view", name+"@"+v, "dist.integrity")
		if err != nil {
			return err
		}
		l.Packages["node_modules/"+alias(name, v)] = entry{Name: name, Version: v, Integrity: strings.TrimSpace(string(out))}
	}
	return nil
}

func npm(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "npm", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("npm %s: %w", strings.Join(args[:2], " "), err)
	}
	return out, err
}
