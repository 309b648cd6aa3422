package preview

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/Masterminds/semver/v3"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/build/packages"
	"github.com/slipway-dev/slipway/internal/progress"
)

//go:embed locks
var lockFiles embed.FS

// Lock is a set of packages that the page is made of, for a minor version: a package-lock.json of what the page imports,
// without addresses, as the user's npm configuration determines the registry.
type Lock struct {
	Minor    string `json:"-"`
	Bytes    int64  `json:"bytes"` // to download
	Packages map[string]struct {
		Version string `json:"version"`
	} `json:"packages"`
	text []byte
}

// minorVersions returns the minor versions that have a lock, oldest first.
func minorVersions() []string {
	entries, _ := fs.ReadDir(lockFiles, "locks") // an embedded directory can be read
	var minors []string
	for _, e := range entries {
		minors = append(minors, strings.TrimSuffix(e.Name(), ".json"))
	}
	slices.SortFunc(minors, func(a, b string) int { return semver.MustParse(a).Compare(semver.MustParse(b)) })
	return minors
}

// readLock returns the lock of a minor version, such as 12.4.
func readLock(minor string) (*Lock, error) {
	text, err := lockFiles.ReadFile("locks/" + minor + ".json")
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		return nil, fmt.Errorf("no libraries of version %q: choose one of %s", minor, strings.Join(minorVersions(), ", "))
	}
	if err != nil {
		return nil, err
	}
	return parseLock(minor, text)
}

func parseLock(minor string, text []byte) (*Lock, error) {
	l := &Lock{Minor: minor, text: text}
	if err := json.Unmarshal(text, l); err != nil {
		return nil, fmt.Errorf("read the lock of %s: %w", minor, err)
	}
	return l, nil
}

// RefreshLock returns the part of the newest lock with the runtime of React Fast Refresh, for all versions of React.
func RefreshLock() (*Lock, error) {
	const at = "node_modules/react-refresh"
	minors := minorVersions()
	all, err := lockFiles.ReadFile("locks/" + minors[len(minors)-1] + ".json")
	if err != nil {
		return nil, err
	}
	var whole struct {
		LockfileVersion int                        `json:"lockfileVersion"`
		Packages        map[string]json.RawMessage `json:"packages"`
	}
	if err := json.Unmarshal(all, &whole); err != nil {
		return nil, err
	}
	maps.DeleteFunc(whole.Packages, func(key string, _ json.RawMessage) bool { return key != at })
	text, err := json.Marshal(whole)
	if err != nil {
		return nil, err
	}
	return parseLock("refresh", text)
}

// Version returns the version of a package that the page imports, or "".
func (l *Lock) Version(name string) string { return l.Packages["node_modules/"+name].Version }

// Size returns how much Install downloads, such as "31.4 MB".
func (l *Lock) Size() string { return progress.Size(l.Bytes) }

// InstallOptions configure Install.
type InstallOptions struct {
	CacheDir string // of Slipway, absolute
	Root     string // of the plugin repository, which configures registries
	Environ  []string
	Client   *http.Client // nil is the default client

	IsOffline bool // install nothing

	Out        io.Writer // for the progress
	IsTerminal bool
}

// dir returns where the packages of the lock are once they are installed.
func (l *Lock) dir(cacheDir string) string {
	sum := sha256.Sum256(l.text)
	return filepath.Join(cacheDir, "preview", "libraries-"+l.Minor+"-"+hex.EncodeToString(sum[:6]))
}

// Installed returns the directory whose node_modules has the packages, or "" if Install has not run.
func (l *Lock) Installed(cacheDir string) string {
	if dir := l.dir(cacheDir); exists(dir) {
		return dir
	}
	return ""
}

// Install downloads the packages into the cache that repositories share, and makes a node_modules
// of them, in the directory that Installed returns, which is "" if o is offline. It appears there atomically.
func (l *Lock) Install(ctx context.Context, o InstallOptions) (dir string, err error) {
	if dir := l.Installed(o.CacheDir); dir != "" || o.IsOffline {
		return dir, nil
	}
	dir = l.dir(o.CacheDir)
	if err := appear(dir, func(tree string) error { return l.fill(ctx, tree, o) }); err != nil {
		return "", fmt.Errorf("libraries %s: %w", l.Minor, err)
	}
	return dir, nil
}

func (l *Lock) fill(ctx context.Context, tree string, o InstallOptions) error {
	for name, text := range map[string][]byte{"package.json": []byte("{}"), "package-lock.json": l.text} {
		if err := os.WriteFile(filepath.Join(tree, name), text, 0o644); err != nil {
			return err
		}
	}
	store, err := packages.Open(packages.Options{Root: tree, Config: o.Root, CacheDir: filepath.Join(o.CacheDir, "npm"), Environ: o.Environ, Client: o.Client})
	if err != nil {
		return err
	}
	var done atomic.Int64
	name := strings.TrimSpace("downloading the libraries " + l.Version("@grafana/ui"))
	defer progress.Task{W: o.Out, IsTerminal: o.IsTerminal, Name: name, Left: func() string {
		_, bytes := store.Downloaded()
		return fmt.Sprintf("%d of %d packages, %s", done.Load(), len(l.Packages), progress.Size(bytes))
	}}.Start()()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(16)
	for _, at := range slices.Sorted(maps.Keys(l.Packages)) {
		group.Go(func() error {
			defer done.Add(1)
			i := strings.LastIndex("/"+at, "/node_modules/")
			importer, name := filepath.Join(tree, filepath.FromSlash(at[:i]), "package.json"), at[i+len("node_modules/"):]
			from, ok, err := store.Dir(ctx, importer, name)
			if err == nil && !ok {
				err = fmt.Errorf("%s is not in the lock", at)
			}
			if err != nil {
				return err
			}
			return linkTree(filepath.Join(from, "node_modules", filepath.FromSlash(name)), filepath.Join(tree, filepath.FromSlash(at)))
		})
	}
	return group.Wait()
}

// linkTree makes a copy of a directory, with hard links where possible, without files that no bundle reads.
func linkTree(from, to string) error {
	return filepath.WalkDir(from, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, file)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case d.IsDir():
			return os.MkdirAll(target, 0o755)
		case slices.Contains([]string{".map", ".md"}, path.Ext(file)) || strings.HasSuffix(file, ".d.ts"):
			return nil
		}
		if os.Link(file, target) == nil {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o644)
	})
}
