package packages

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Options configure a Store.
type Options struct {
	Root     string       // of the plugin repository, absolute
	CacheDir string       // that repositories share, absolute
	Environ  []string     // for npm's variables and HOME
	Client   *http.Client // nil is one with a timeout of a minute per request
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
	bases      []string      // the directory of the lockfile, and without symbolic links
	slots      chan struct{} // downloads at the same time

	mu      sync.Mutex
	fetched map[string]func() error // by key
	owner   map[string]*Package     // by key: the package that is there

	downloaded, bytes atomic.Int64
	sweep             sync.Once // of staging directories
}

const (
	maxDownloads  = 16
	maxTarball    = 256 << 20 // compressed
	maxUnpacked   = 1 << 30   // all files of a package
	maxEntries    = 100_000
	clientTimeout = time.Minute

	// stagingPrefix begins the names of the directories in the cache that packages are unpacked in.
	stagingPrefix = ".staging-"
	staleAfter    = 24 * time.Hour
)

// Open reads the lockfile of a repository. The error is ErrNoLockfile if there is none.
func Open(o Options) (*Store, error) {
	if o.Client == nil {
		o.Client = &http.Client{Timeout: clientTimeout}
	}
	lock, err := readLock(o.Root)
	if err != nil {
		return nil, err
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
		options: o, registries: readRegistries(o.Root, o.Environ, o.Client), lock: lock, bases: bases,
		slots: make(chan struct{}, maxDownloads), fetched: map[string]func() error{}, owner: map[string]*Package{},
	}, nil
}

// Lockfile returns the lockfile that names the versions.
func (s *Store) Lockfile() string { return s.lock.file }

// Integrities returns the integrity of each package in the lockfile that has one, by
// "name@version".
func (s *Store) Integrities() map[string]string { return s.lock.integrities }

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
	at, isLocal := local(p.URL)
	file := "" // of a package that is not downloaded
	if isLocal {
		var isDir bool
		if file, isDir, err = s.localFile(p, at); err != nil || isDir {
			return file, true, err
		}
		if p, err = p.inFile(file); err != nil {
			return "", true, fmt.Errorf("%s comes from %q: %w", name, at, err)
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
	fetch := s.fetched[key]
	if fetch == nil {
		fetch = sync.OnceValue(func() error { return s.fetch(ctx, p, file) })
		s.fetched[key] = fetch
		s.owner[key] = p
	}
	s.mu.Unlock()
	if err := fetch(); isLocal && err != nil {
		return "", true, fmt.Errorf("%s comes from %q: %w", name, at, err)
	} else if err != nil {
		return "", true, fmt.Errorf("%s@%s: %w", p.Name, p.Version, err)
	}
	return s.dir(key), true, nil
}

func (s *Store) dir(key string) string { return filepath.Join(s.options.CacheDir, key) }

// find returns the package that an import refers to: what the importing package requires, else
// what the plugin requires, which is where peer dependencies come from.
func (s *Store) find(importer, name string) *Package {
	if rel, err := filepath.Rel(s.options.CacheDir, importer); err == nil && filepath.IsLocal(rel) {
		key, _, _ := strings.Cut(filepath.ToSlash(rel), "/node_modules/")
		s.mu.Lock()
		owner := s.owner[filepath.FromSlash(key)]
		s.mu.Unlock()
		if owner != nil {
			if owner.Name == name {
				return owner
			}
			if p := owner.find(name); p != nil {
				return p
			}
		}
	}
	for _, base := range s.bases {
		if dir, err := filepath.Rel(base, filepath.Dir(importer)); err == nil && filepath.IsLocal(dir) {
			if p := s.lock.find(filepath.ToSlash(dir), name); p != nil {
				return p
			}
		}
	}
	below, err := filepath.Rel(s.bases[0], s.options.Root)
	if err != nil {
		return nil
	}
	return s.lock.find(filepath.ToSlash(below), name)
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

// fetch unpacks a package from a file, or from its registry if file is "", unless the package
// is in the cache. It appears there atomically.
func (s *Store) fetch(ctx context.Context, p *Package, file string) error {
	final := s.dir(p.key())
	if _, err := os.Stat(final); err == nil {
		return nil
	}
	if file == "" && s.options.Offline {
		if _, err := s.registries.tarball(p); err != nil {
			return err
		}
		return ErrMissing
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	from, integrity, err := s.open(ctx, p, file)
	if err != nil {
		return err
	}
	defer from.Close()
	if err := os.MkdirAll(s.options.CacheDir, 0o755); err != nil {
		return err
	}
	s.sweep.Do(func() { removeStaging(s.options.CacheDir) })
	staging, err := os.MkdirTemp(s.options.CacheDir, stagingPrefix)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(staging) }()
	tarball, err := os.Create(filepath.Join(staging, "tarball"))
	if err != nil {
		return err
	}
	defer tarball.Close()
	n, err := verify(tarball, from, integrity)
	if err != nil {
		return err
	}
	if file == "" {
		s.downloaded.Add(1)
		s.bytes.Add(n)
	}
	if _, err := tarball.Seek(0, io.SeekStart); err != nil {
		return err
	}
	name := filepath.FromSlash(cmp.Or(p.alias, p.Name))
	target := filepath.Join(staging, "out", "node_modules", name)
	if !filepath.IsLocal(name) {
		return errors.New("its name is not a valid path")
	}
	if err := os.MkdirAll(target, 0o755); err != nil {
		return err
	}
	if err := unpack(target, tarball); err != nil {
		return err
	}
	err = os.Rename(filepath.Join(staging, "out"), final)
	if errors.Is(err, fs.ErrExist) || err != nil && exists(final) {
		return nil // another process was faster
	}
	return err
}

// open returns the tarball of a package and the integrity that it must have.
func (s *Store) open(ctx context.Context, p *Package, file string) (tarball io.ReadCloser, integrity string, err error) {
	if file != "" {
		tarball, err := os.Open(file)
		return tarball, p.Integrity, err
	}
	at, err := s.registries.tarball(p)
	if err != nil {
		return nil, "", err
	}
	integrity = p.Integrity
	if integrity == "" {
		if integrity, err = s.registries.integrity(ctx, p); err != nil {
			return nil, "", err
		}
	}
	resp, err := s.registries.get(ctx, at, "")
	if err != nil {
		return nil, "", err
	}
	return resp.Body, integrity, nil
}

// removeStaging removes what killed processes left behind.
func removeStaging(cacheDir string) {
	entries, _ := os.ReadDir(cacheDir) // the next run tries again
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), stagingPrefix) && time.Since(info.ModTime()) > staleAfter {
			_ = os.RemoveAll(filepath.Join(cacheDir, e.Name()))
		}
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// verify copies a tarball and compares it with the strongest hash of an integrity.
func verify(to io.Writer, from io.Reader, integrity string) (n int64, err error) {
	var sum hash.Hash
	var want []byte
	for _, algorithm := range []struct {
		name string
		hash hash.Hash
	}{{"sha512", sha512.New()}, {"sha384", sha512.New384()}, {"sha256", sha256.New()}, {"sha1", sha1.New()}} {
		for one := range strings.FieldsSeq(integrity) {
			text, ok := strings.CutPrefix(one, algorithm.name+"-")
			if !ok || sum != nil {
				continue
			}
			text, _, _ = strings.Cut(text, "?")
			if want, err = base64.StdEncoding.DecodeString(text); err != nil {
				return 0, fmt.Errorf("invalid integrity hash %q", integrity)
			}
			sum = algorithm.hash
		}
	}
	if sum == nil {
		return 0, fmt.Errorf("unknown integrity algorithm in %q", integrity)
	}
	n, err = io.Copy(io.MultiWriter(to, sum), io.LimitReader(from, maxTarball+1))
	switch {
	case err != nil:
		return n, err
	case n > maxTarball:
		return n, fmt.Errorf("the tarball is larger than %d MiB", maxTarball>>20)
	case string(sum.Sum(nil)) != string(want):
		return n, errors.New("the tarball does not match its integrity hash")
	}
	return n, nil
}

// unpack writes the regular files of a tarball, without the directory that holds them all. A
// link, or a path that leads outside, is refused.
func unpack(dir string, from io.Reader) error {
	zip, err := gzip.NewReader(from)
	if err != nil {
		return fmt.Errorf("read tarball: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	left := int64(maxUnpacked)
	files := tar.NewReader(zip)
	for n := 0; ; n++ {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read tarball: %w", err)
		}
		if n == maxEntries {
			return fmt.Errorf("the tarball has more than %d entries", maxEntries)
		}
		switch header.Typeflag {
		case tar.TypeReg:
		case tar.TypeDir, tar.TypeXGlobalHeader:
			continue
		default:
			return fmt.Errorf("the tarball has a link or a device: %q", header.Name)
		}
		_, name, ok := strings.Cut(path.Clean(header.Name), "/")
		if !ok {
			continue
		}
		if strings.HasPrefix(header.Name, "/") || !filepath.IsLocal(filepath.FromSlash(name)) || strings.Contains("/"+header.Name+"/", "/../") {
			return fmt.Errorf("the tarball has a path that leads outside: %q", header.Name)
		}
		if left -= header.Size; left < 0 {
			return fmt.Errorf("the tarball unpacks to more than %d MiB", maxUnpacked>>20)
		}
		if err := writeFile(root, filepath.FromSlash(name), files); err != nil {
			return fmt.Errorf("unpack %q: %w", header.Name, err)
		}
	}
}

func writeFile(root *os.Root, name string, from io.Reader) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	to, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}
