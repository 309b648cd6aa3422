package packages

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Options configure a Store.
type Options struct {
	Root     string        // of the plugin repository, absolute
	Config   string        // directory of the repository that configures registries; "" is Root
	CacheDir string        // that repositories share, absolute
	Environ  []string      // for npm's variables and HOME
	Client   *http.Client  // nil is the default client
	Pause    time.Duration // before the second try of a download, doubled before the third; 0 is a second
	// Offline makes a package that is not in the cache an error, ErrMissing.
	Offline bool
}

// ErrMissing is the error for a package that is not in the cache while Offline.
var ErrMissing = errors.New("the package is not in the cache")

// Store provides the packages of one repository. It is safe for concurrent use.
type Store struct {
	options    Options
	registries registries
	lock       *lock
	patched    []string      // names of packages that a script patches
	bases      []string      // the directory of the lockfile, and without symbolic links
	slots      chan struct{} // downloads at the same time

	mu      sync.Mutex
	entries map[string]*entry // by key

	downloaded, bytes atomic.Int64
	sweep             sync.Once // of staging directories
}

type entry struct {
	*Package
	mu        sync.Mutex
	isFetched bool // or cannot be, if err is not nil
	err       error
}

const maxDownloads = 16

// Open reads the lockfile of a repository. The error is ErrNoLockfile if there is none.
func Open(o Options) (*Store, error) {
	o.Pause = cmp.Or(o.Pause, time.Second)
	lock, err := readLock(o.Root)
	if err != nil {
		return nil, err
	}
	configured := lock
	if o.Config != "" {
		configured, err = readLock(o.Config)
		if errors.Is(err, ErrNoLockfile) || errors.Is(err, fs.ErrNotExist) {
			configured = newLock(o.Config, filepath.Join(o.Config, "package-lock.json"), npm, o.Config)
		} else if err != nil {
			return nil, err
		}
	}
	bases := []string{filepath.Dir(lock.file)}
	if real, err := filepath.EvalSymlinks(bases[0]); err == nil {
		bases = append(bases, real)
	}
	_ = os.MkdirAll(o.CacheDir, 0o755) // fetch reports the error
	if real, err := filepath.EvalSymlinks(o.CacheDir); err == nil {
		o.CacheDir = real // as in the paths of importers
	}
	return &Store{
		options: o, registries: readRegistries(o, configured), lock: lock, bases: bases,
		patched: patchedByScript(o.Root, bases[0]),
		slots:   make(chan struct{}, maxDownloads), entries: map[string]*entry{},
	}, nil
}

// Integrities returns the integrity of each package in the lockfile that has one, by
// "name@version".
func (s *Store) Integrities() map[string]string { return s.lock.integrities }

// Lockfiles returns the path of the lockfile, and the names of those in the same directory that are ignored because package.json
// does not name a package manager.
func (s *Store) Lockfiles() (read string, unread []string) { return s.lock.file, s.lock.unread }

// Downloaded returns how many packages and bytes came over the network so far.
func (s *Store) Downloaded() (packages, bytes int64) { return s.downloaded.Load(), s.bytes.Load() }

// Dir returns a directory whose node_modules contains the package that an import in a file
// refers to, and downloads it first if it must. For a package that is part of the repository, it is
// the directory of the package itself. ok is false if the lockfile does not have the package.
func (s *Store) Dir(ctx context.Context, importer, name string) (dir string, ok bool, err error) {
	p := s.find(importer, name)
	if p == nil {
		return "", false, nil
	}
	dir, err = s.provide(ctx, importer, p, name)
	return dir, true, err
}

// provide is Dir for a package that a file imports by a name.
func (s *Store) provide(ctx context.Context, importer string, p *Package, name string) (dir string, err error) {
	if refused := s.refusal(importer, p); refused != nil {
		return "", fmt.Errorf("%s: %w", strings.TrimSuffix(p.Name+"@"+p.Version, "@"), refused)
	}
	at, isLocal := local(p.URL)
	file := "" // of a package that is not downloaded
	if isLocal {
		var isDir bool
		if file, isDir, err = s.localFile(p, at); err != nil || isDir {
			return file, err
		}
		if p, err = p.inFile(file); err != nil {
			return "", fmt.Errorf("%s comes from %q: %w", name, at, err)
		}
	}
	if !isLocal && p.Integrity == "" { // its contents depend on the registry, so the URL becomes part of its key
		if from, err := s.registries.tarball(p); err == nil {
			located := *p
			located.URL = from.String()
			p = &located
		}
	}
	if name != p.Name {
		aliased := *p
		aliased.alias = name
		p = &aliased
	}
	key := p.key()
	s.mu.Lock()
	e := s.entries[key]
	if e == nil {
		e = &entry{Package: p}
		s.entries[key] = e
	}
	s.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.isFetched {
		e.err = s.fetch(ctx, p, file)
		e.isFetched = e.err == nil || ctx.Err() == nil // the next caller may be patient
	}
	if err := e.err; isLocal && err != nil {
		return "", fmt.Errorf("%s comes from %q: %w", name, at, err)
	} else if err != nil {
		return "", fmt.Errorf("%s@%s: %w", p.Name, p.Version, err)
	}
	return s.dir(key), nil
}

func (s *Store) dir(key string) string { return filepath.Join(s.options.CacheDir, key) }

// find returns the package that an import refers to: what the importing package requires, else
// what the plugin requires, which is where peer dependencies come from, else what is hoisted.
func (s *Store) find(importer, name string) *Package {
	return s.lookup(s.ownerOf(importer), importer, name)
}

func (s *Store) lookup(owner *Package, importer, name string) *Package {
	var scopes []*scope
	if owner != nil && owner.Name == name {
		return owner
	} else if owner != nil {
		scopes = append(scopes, owner.scope)
	}
	for _, base := range s.bases {
		if dir, err := filepath.Rel(base, filepath.Dir(importer)); err == nil && filepath.IsLocal(dir) {
			scopes = append(scopes, s.lock.above(filepath.ToSlash(dir)))
		}
	}
	if below, err := filepath.Rel(s.bases[0], s.options.Root); err == nil {
		scopes = append(scopes, s.lock.above(filepath.ToSlash(below)))
	}
	if owner != nil {
		scopes = append(scopes, s.lock.hoisted)
	}
	for _, scope := range scopes {
		if p := scope.find(name); p != nil {
			return p
		}
	}
	return nil
}

// ownerOf returns the package in the cache that a file belongs to, or nil.
func (s *Store) ownerOf(file string) *Package {
	rel, err := filepath.Rel(s.options.CacheDir, file)
	if err != nil || !filepath.IsLocal(rel) {
		return nil
	}
	key, _, _ := strings.Cut(filepath.ToSlash(rel), "/node_modules/")
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.entries[filepath.FromSlash(key)]; e != nil {
		return e.Package
	}
	return nil
}

// key names the directory of a package in the cache. It depends on where the package came from
// and on its integrity, so that no repository gets what another one's lockfile named.
func (p *Package) key() string {
	id := p.Name + "\n" + p.Version + "\n" + p.URL + "\n" + p.Integrity
	if p.alias != "" {
		id += "\n" + p.alias
	}
	sum := sha256.Sum256([]byte(id))
	return strings.NewReplacer("/", "+", "\\", "+", "..", "+").Replace(p.Name) + "-" + hex.EncodeToString(sum[:10])
}
