package verbs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/archive"
	"github.com/slipway-dev/slipway/internal/limit"
	"github.com/slipway-dev/slipway/internal/terminal"
)

// verifyOptions are the options of the verb verify.
type verifyOptions struct {
	Face Face
	Dir  string // the plugin repository; "" is the current directory
	Path string // dist, a zip or a directory of zips; "" is what Sign signs by default
	Key  string // file of public keys, one of which must have signed; "" does not verify signatures
}

// runVerify compares built plugins with their manifests, signatures and checksums, and prints the
// result for each file to w. The error has ExitFindings if anything differs.
func runVerify(w io.Writer, o verifyOptions) error {
	var trusted []archive.PublicKey
	if o.Key != "" {
		var err error
		if trusted, err = ReadPublicKeys(o.Face.Option("key"), o.Key); err != nil {
			return err
		}
	}
	var plugins []packed
	var err error
	if o.Path == "" {
		plugins, err = findSigned(w, o)
	} else {
		plugins, err = findPacked(o.Path)
	}
	if err != nil {
		return err
	}
	differ := 0
	for _, p := range plugins {
		v := verification{w: w, trusted: trusted, option: o.Face.Option("key")}
		if v.plugin(p); v.differences > 0 {
			differ++
		}
	}
	if differ > 0 && len(plugins) == 1 {
		return errors.New("verify: the plugin does not match its manifest, checksums or signature")
	}
	if differ > 0 {
		return fmt.Errorf("verify: plugins that do not match their manifests, checksums or signatures: %d of %d", differ, len(plugins))
	}
	return nil
}

// verification prints the result for one plugin.
type verification struct {
	w           io.Writer
	trusted     []archive.PublicKey
	option      string // the option that names the trusted keys
	differences int
}

func (v *verification) plugin(p packed) {
	fmt.Fprintln(v.w, terminal.Line(shortPath(p.path)))
	if p.isZip {
		match, differ, err := archive.CheckSums(p.path)
		for _, name := range match {
			v.line("ok", name)
		}
		for _, name := range differ {
			v.differs("changed", name+": not the checksum of the zip")
		}
		if err != nil {
			v.differs("refused", err.Error())
		}
	}
	dist, closer, err := archive.Open(p.path)
	if err != nil {
		v.differs("refused", err.Error())
		return
	}
	defer closer.Close()
	r, err := archive.Inspect(dist, v.trusted...)
	if errors.Is(err, fs.ErrNotExist) {
		v.differs("missing", archive.ManifestFile+", which package and sign write")
		return
	}
	if err != nil {
		v.differs("refused", err.Error())
		return
	}
	v.files(r)
	v.signature(r)
}

// files prints the files of the manifest and those that it does not list, by path.
func (v *verification) files(r *archive.Report) {
	differences := map[string]error{}
	paths := make([]string, 0, len(r.Manifest.Files))
	for _, f := range r.Manifest.Files {
		paths = append(paths, f.Path)
	}
	for _, d := range r.Files {
		differences[d.Path] = d.Err
		if _, ok := r.Manifest.File(d.Path); !ok {
			paths = append(paths, d.Path)
		}
	}
	slices.Sort(paths)
	for _, path := range paths {
		switch err := differences[path]; {
		case err == nil:
			v.line("ok", path)
		case errors.Is(err, archive.ErrChanged):
			v.differs("changed", path)
		case errors.Is(err, archive.ErrMissing):
			v.differs("missing", path)
		case errors.Is(err, archive.ErrUndeclared):
			v.differs("added", path)
		default:
			v.differs("refused", fmt.Sprintf("%s: %v", path, err))
		}
	}
	if r.Owner != nil {
		v.differs("refused", r.Owner.Error())
	}
}

// signature prints whether a trusted key signed the manifest. Without keys to trust, only a
// damaged signature is a difference.
func (v *verification) signature(r *archive.Report) {
	switch {
	case r.Signature == nil:
		v.line("ok", "signature with the key "+r.KeyID)
	case errors.Is(r.Signature, archive.ErrUnsigned) && len(v.trusted) == 0:
		v.line("note", r.Signature.Error())
	case errors.Is(r.Signature, archive.ErrUnsigned):
		v.differs("unsigned", r.Signature.Error())
	case r.KeyID != "" && len(v.trusted) == 0:
		v.line("note", fmt.Sprintf("signed with the key %s; the signature was not verified: %s names the keys to trust", r.KeyID, v.option))
	default:
		v.differs("refused", r.Signature.Error())
	}
}

func (v *verification) differs(result, text string) {
	v.differences++
	v.line(result, text)
}

func (v *verification) line(result, text string) {
	fmt.Fprintf(v.w, "  %-8s %s\n", result, terminal.Line(text))
}

// packed is a built plugin: a dist or a zip.
type packed struct {
	path  string
	isZip bool
}

// findSigned returns dist and the zips of its version in release, without a dist that has no
// manifest: package writes one only into the zips.
func findSigned(w io.Writer, o verifyOptions) ([]packed, error) {
	repo, err := FindRepo(w, o.Dir)
	if err != nil {
		return nil, err
	}
	m, err := readBuilt(repo.Dist)
	if err != nil {
		return nil, &ExitError{Code: ExitUsage, Err: o.Face.notBuilt("verify", err)}
	}
	zips, err := releasedZips(repo, m.ID, m.Info.Version)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(filepath.Join(repo.Dist, archive.ManifestFile)); err == nil {
		return append([]packed{{path: repo.Dist}}, zips...), nil
	}
	if len(zips) == 0 {
		return nil, Usage("nothing to verify: %s has no %s, and %s has no zips of version %s\nhelp: %s packs the plugin, and %s signs it",
			shortPath(repo.Dist), archive.ManifestFile, shortPath(filepath.Join(repo.Root, releaseDir)), m.Info.Version,
			o.Face.Verb("package"), o.Face.Verb("sign"))
	}
	fmt.Fprintf(w, "note: %s is not verified: it has no %s, which sign writes\n", shortPath(repo.Dist), archive.ManifestFile)
	return zips, nil
}

// findPacked returns the plugins at a path: a dist, a zip or a directory of zips.
func findPacked(path string) ([]packed, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, Usage("%w", err)
	}
	if !info.IsDir() {
		return []packed{{path, true}}, nil
	}
	for _, name := range []string{bundle.MetadataFile, archive.ManifestFile} {
		if _, err := os.Lstat(filepath.Join(path, name)); err == nil {
			return []packed{{path: path}}, nil
		}
	}
	zips, err := zipsIn(path)
	if err != nil {
		return nil, err
	}
	if len(zips) == 0 {
		return nil, Usage("%s is not a built plugin and has no zips: name a dist, a zip or a directory of zips", path)
	}
	plugins := make([]packed, len(zips))
	for i, zip := range zips {
		plugins[i] = packed{zip, true}
	}
	return plugins, nil
}

// zipsIn returns the zips in a directory, sorted. A directory that does not exist has none.
func zipsIn(dir string) (zips []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if strings.EqualFold(filepath.Ext(e.Name()), ".zip") && !e.IsDir() {
			zips = append(zips, filepath.Join(dir, e.Name()))
		}
	}
	return zips, err
}

// ReadPublicKeys reads the file of public keys that an option names.
func ReadPublicKeys(option, file string) ([]archive.PublicKey, error) {
	text, err := readKeyFile(file)
	if err != nil {
		return nil, Usage("%s: %w", option, err)
	}
	keys, err := archive.ParsePublicKeys(text)
	if err != nil {
		return nil, Usage("%s=%s: %w", option, file, err)
	}
	return keys, nil
}

// readKeyFile reads a file of keys. It may be a pipe, as shells make of <(command).
func readKeyFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := limit.ReadAll(f, 1<<20)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return data, nil
}
