package archive

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/bundle"
)

// Options configures Pack. Out is required.
type Options struct {
	// Out is the directory for the files, which Pack creates if needed. It must be
	// outside of the plugin.
	Out string

	// Time is the modification time of every entry and the timestamp of the SBOM.
	// For reproducible files it comes from the source, for example from the commit.
	// A zip holds times from 1980 to 2106, in steps of two seconds; other times
	// become the nearest one.
	Time time.Time

	// Key signs each zip. If it is nil, the zip for all platforms has the signature
	// that is in the plugin, if any.
	Key ed25519.PrivateKey

	// ToolVersion is the version of Slipway that the SBOM names, "" if unknown.
	ToolVersion string
}

// The reasons why a signed plugin cannot be packed as it is.
var (
	ErrSignatureStale = errors.New("the plugin changed after it was signed: sign it again")
	ErrKeyNeeded      = errors.New("a zip for one platform needs a signature of its own: pack with the key")
	ErrForeign        = errors.New("the plugin cannot be signed, because its " + foreignManifest + " does not list " + ManifestFile + " and " + SignatureFile + ": remove " + foreignManifest + ", sign, and create it again")
)

// Output is a file that Pack wrote.
type Output struct {
	Path string
	Size int64 // in bytes

	// Platforms are those of the executables in a zip. Sums are the paths of its
	// checksum files. Both are nil for other files.
	Platforms []bundle.Platform
	Sums      []string
}

// Pack packs the built plugin in the directory dist and returns the files that it wrote
// to o.Out:
//
//	<id>-<version>.zip               the plugin with the executables of all platforms
//	<id>-<version>.<os>_<arch>.zip   the same with the executables of one platform
//	<zip>.sha256                     its checksum, as sha256sum -c reads it
//	<zip>.sha1                       its checksum in bare hexadecimal, as Grafana's catalog asks for it
//	<id>-<version>.cdx.json          the SBOM
//
// Each zip holds a directory named by the plugin's id, with a manifest. Packing the
// same content twice with one version of Go gives the same bytes.
//
// A MANIFEST.txt in dist, which covers the files of all platforms, is part of the
// zip for all platforms only. If it does not list MANIFEST.json, that zip has no
// MANIFEST.json, since an unlisted file would invalidate it.
func Pack(ctx context.Context, dist string, o Options) ([]Output, error) {
	if err := checkOutside(dist, o.Out); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dist)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	p := &packer{dist: root.FS(), options: o, time: zipTime(o.Time)}
	if p.manifest, err = NewManifest(p.dist); err != nil {
		return nil, err
	}
	if p.executables, err = executables(p.dist, p.manifest.Files); err != nil {
		return nil, err
	}
	if err := p.readSigning(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Out, 0o755); err != nil {
		return nil, err
	}
	err = p.pack(ctx)
	return p.written, err
}

// packer is one call of Pack.
type packer struct {
	dist        fs.FS
	options     Options
	time        time.Time
	manifest    *Manifest
	executables map[string]bundle.Platform // by path

	signature []byte // in dist, nil if none
	foreign   []byte // MANIFEST.txt in dist, nil if none
	written   []Output
}

// readSigning reads how the plugin in dist is signed.
func (p *packer) readSigning() (err error) {
	if p.foreign, err = ReadForeign(p.dist); err != nil {
		return err
	}
	if p.signature, err = readOptional(p.dist, SignatureFile, maxSignatureBytes); err != nil {
		return err
	}
	if p.isForeign() && (p.options.Key != nil || p.signature != nil) {
		return ErrForeign
	}
	if p.options.Key != nil || p.signature == nil {
		return nil
	}
	signed, err := readOptional(p.dist, ManifestFile, maxManifestBytes)
	switch {
	case err != nil:
		return err
	case !bytes.Equal(signed, p.manifest.Encode()):
		return staleError(p.dist, signed)
	case len(p.executables) > 0:
		return ErrKeyNeeded
	}
	return nil
}

// maxListed is how many files an error lists.
const maxListed = 10

// staleError returns ErrSignatureStale with the files that differ from the signed manifest.
func staleError(dist fs.FS, signed []byte) error {
	m, err := ParseManifest(signed)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSignatureStale, err)
	}
	differences, err := m.compare(dist, IsSigning)
	if err != nil {
		return err
	}
	var list strings.Builder
	for _, file := range differences[:min(len(differences), maxListed)] {
		fmt.Fprintf(&list, "\n  %v", file)
	}
	if more := len(differences) - maxListed; more > 0 {
		fmt.Fprintf(&list, "\n  and %d more", more)
	}
	return fmt.Errorf("%w%s", ErrSignatureStale, list.String())
}

// isForeign reports whether there is a MANIFEST.txt and it does not list the
// manifest, or the signature of a signed plugin.
func (p *packer) isForeign() bool {
	isSigned := p.options.Key != nil || p.signature != nil
	return p.foreign != nil && (!lists(p.foreign, ManifestFile) || isSigned && !lists(p.foreign, SignatureFile))
}

// lists reports whether a MANIFEST.txt lists a file.
func lists(foreign []byte, name string) bool { return bytes.Contains(foreign, []byte(`"`+name+`"`)) }

func readOptional(dist fs.FS, name string, maxBytes int64) ([]byte, error) {
	data, err := readFile(dist, name, maxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

func (p *packer) pack(ctx context.Context) error {
	base := filepath.Join(p.options.Out, p.manifest.Plugin+"-"+p.manifest.Version)
	all := base + ".zip"
	err := p.write(all, p.platforms(), func(w io.Writer) error { return p.writeAll(ctx, w) })
	if err != nil {
		return err
	}
	for _, platform := range p.platforms() {
		file := base + "." + platform.OS + "_" + platform.Arch + ".zip"
		err := p.write(file, []bundle.Platform{platform}, func(w io.Writer) error { return p.writePlatform(ctx, w, all, platform) })
		if err != nil {
			return err
		}
	}
	sbom, err := p.sbom(ctx)
	if err != nil {
		return err
	}
	file := base + ".cdx.json"
	p.written = append(p.written, Output{Path: file, Size: int64(len(sbom))})
	return writeFile(file, sbom)
}

// write writes a zip and its checksums.
func (p *packer) write(file string, platforms []bundle.Platform, content func(io.Writer) error) error {
	size, err := writeSummed(file, content)
	if err == nil {
		p.written = append(p.written, Output{Path: file, Size: size, Platforms: platforms, Sums: []string{file + sha256Suffix, file + sha1Suffix}})
	}
	return err
}

// platforms lists the platforms of the executables.
func (p *packer) platforms() []bundle.Platform {
	var list []bundle.Platform
	for _, platform := range p.executables {
		if !slices.Contains(list, platform) {
			list = append(list, platform)
		}
	}
	slices.SortFunc(list, func(a, b bundle.Platform) int { return strings.Compare(a.String(), b.String()) })
	return list
}

// entry is a file in a zip: with these bytes, or copied if they are nil.
type entry struct {
	name string // relative to the directory of the plugin
	data []byte
}

// entries lists the content of the zip with the files of m, sorted by name.
func (p *packer) entries(m *Manifest, isAll bool) []entry {
	var list []entry
	for _, f := range m.Files {
		list = append(list, entry{name: f.Path})
	}
	if isAll && p.foreign != nil {
		list = append(list, entry{foreignManifest, p.foreign})
	}
	if !isAll || !p.isForeign() {
		list = append(list, entry{ManifestFile, m.Encode()})
		signature := p.signature
		if p.options.Key != nil {
			signature = m.sign(p.options.Key)
		}
		if signature != nil {
			list = append(list, entry{SignatureFile, signature})
		}
	}
	slices.SortFunc(list, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return list
}

// writeAll writes the zip for all platforms.
func (p *packer) writeAll(ctx context.Context, w io.Writer) error {
	files := map[string]File{}
	for _, f := range p.manifest.Files {
		files[f.Path] = f
	}
	return p.writeZip(ctx, w, p.entries(p.manifest, true), func(z *zip.Writer, name string) error {
		r, err := openRegular(p.dist, name)
		if err != nil {
			return err
		}
		defer r.Close()
		to, err := z.CreateHeader(p.header(name))
		if err != nil {
			return err
		}
		got, err := sumOf(name, io.TeeReader(r, to))
		if err == nil && got != files[name] {
			err = errors.New("changed while it was packed")
		}
		return err
	})
}

// writePlatform writes the zip for one platform. It copies from the zip for all
// platforms, since compressing the files again would take long.
func (p *packer) writePlatform(ctx context.Context, w io.Writer, all string, platform bundle.Platform) error {
	m := *p.manifest
	m.Files = slices.DeleteFunc(slices.Clone(m.Files), func(f File) bool {
		of, isExecutable := p.executables[f.Path]
		return isExecutable && of != platform
	})
	from, err := zip.OpenReader(all)
	if err != nil {
		return err
	}
	defer from.Close()
	packed := map[string]*zip.File{}
	for _, f := range from.File {
		packed[f.Name] = f
	}
	return p.writeZip(ctx, w, p.entries(&m, false), func(z *zip.Writer, name string) error {
		return z.Copy(packed[p.header(name).Name])
	})
}

// writeZip writes a zip. file adds an entry that has no bytes yet.
func (p *packer) writeZip(ctx context.Context, w io.Writer, entries []entry, file func(z *zip.Writer, name string) error) error {
	z := newZipWriter(w)
	for _, e := range entries {
		err := context.Cause(ctx)
		if err == nil && e.data == nil {
			err = file(z, e.name)
		} else if err == nil {
			err = addFile(z, p.header(e.name), e.data)
		}
		if err != nil {
			return fmt.Errorf("pack %s: %w", e.name, err)
		}
	}
	return z.Close()
}

// newZipWriter returns a writer with a fixed compression level.
func newZipWriter(w io.Writer) *zip.Writer {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.DefaultCompression)
	})
	return z
}

func addFile(z *zip.Writer, h *zip.FileHeader, data []byte) error {
	w, err := z.CreateHeader(h)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// header returns the header of the entry for a file of the plugin. It uses only the
// name of the file on disk.
func (p *packer) header(name string) *zip.FileHeader {
	mode := fs.FileMode(0o644)
	if _, ok := p.executables[name]; ok {
		mode = 0o755
	}
	return newHeader(p.manifest.Plugin+"/"+name, mode, p.time)
}

func newHeader(name string, mode fs.FileMode, modified time.Time) *zip.FileHeader {
	h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: modified}
	h.SetMode(mode)
	return h
}

// zipTime returns the nearest time that a zip can hold.
func zipTime(t time.Time) time.Time {
	earliest := time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	latest := time.Unix(math.MaxUint32-1, 0).UTC()
	switch t = t.UTC().Truncate(2 * time.Second); {
	case t.Before(earliest):
		return earliest
	case t.After(latest):
		return latest
	}
	return t
}

// checkOutside returns an error if the directory out is in the directory dist.
func checkOutside(dist, out string) error {
	dist, distErr := filepath.Abs(dist)
	out, outErr := filepath.Abs(out)
	if err := errors.Join(distErr, outErr); err != nil {
		return err
	}
	rel, err := filepath.Rel(dist, out)
	if err == nil && filepath.IsLocal(rel) {
		return fmt.Errorf("%s is in the plugin %s: pack to another directory", out, dist)
	}
	return nil // on two drives they have no relative path
}
