package archive

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/signature"
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

	// ToolVersion is the version of Slipway that the SBOM names, "" if unknown.
	ToolVersion string
}

// Output is a file that Pack wrote.
type Output struct {
	Path string
	Size int64    // in bytes
	Sums []string // paths of the checksum files of a zip; nil for other files
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
// Each zip holds a directory named by the plugin's id. Packing the same content twice
// with one version of Go gives the same bytes.
//
// A MANIFEST.txt in dist, which covers the files of all platforms, is part of the
// zip for all platforms only.
func Pack(ctx context.Context, dist string, o Options) ([]Output, error) {
	if err := checkOutside(dist, o.Out); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dist)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	p := &packer{dist: root.FS(), options: o, time: zipTime(o.Time), sums: map[string]string{}}
	if err := p.read(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Out, 0o755); err != nil {
		return nil, err
	}
	err = p.pack(ctx)
	return p.written, err
}

type packer struct {
	dist        fs.FS
	options     Options
	time        time.Time
	id, version string
	files       []string                   // sorted
	executables map[string]bundle.Platform // by path
	sums        map[string]string          // the SHA-256 of what was packed, in hexadecimal
	written     []Output
}

// read reads what the plugin consists of.
func (p *packer) read() error {
	metadata, err := ReadMetadata(p.dist, bundle.MetadataFile)
	if err != nil {
		return err
	}
	p.id, p.version = metadata.ID, metadata.Info.Version
	if !isSafeName(p.id) {
		return fmt.Errorf("%s: the id %q must start with a letter or digit and contain only letters, digits, dots, hyphens, underscores and plus signs",
			bundle.MetadataFile, p.id)
	}
	if !isSafeName(p.version) {
		return fmt.Errorf("%s: the version %q is invalid: use one such as 1.0.0", bundle.MetadataFile, p.version)
	}
	names, irregular, err := filesOf(p.dist, ".")
	if err != nil {
		return err
	}
	if len(irregular) > 0 {
		return irregular[0]
	}
	if err := checkNames(names); err != nil {
		return err
	}
	p.files = names
	p.executables, err = executables(p.dist, names)
	return err
}

// isSafeName reports whether an id or version can be part of a file name everywhere.
func isSafeName(name string) bool {
	const letters, others = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "._+-"
	return name != "" && strings.Trim(name, letters+others) == "" && !strings.ContainsAny(name[:1], others)
}

func (p *packer) pack(ctx context.Context) error {
	base := filepath.Join(p.options.Out, p.id+"-"+p.version)
	all := base + ".zip"
	err := p.write(all, func(w io.Writer) error { return p.writeAll(ctx, w) })
	if err != nil {
		return err
	}
	for _, platform := range p.platforms() {
		file := base + "." + platform.OS + "_" + platform.Arch + ".zip"
		err := p.write(file, func(w io.Writer) error { return p.writePlatform(ctx, w, all, platform) })
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

func (p *packer) write(file string, content func(io.Writer) error) error {
	size, err := writeSummed(file, content)
	if err == nil {
		p.written = append(p.written, Output{Path: file, Size: size, Sums: []string{file + sha256Suffix, file + sha1Suffix}})
	}
	return err
}

func (p *packer) platforms() []bundle.Platform {
	return slices.Compact(slices.SortedFunc(maps.Values(p.executables), func(a, b bundle.Platform) int {
		return strings.Compare(a.String(), b.String())
	}))
}

func (p *packer) writeAll(ctx context.Context, w io.Writer) error {
	return p.writeZip(ctx, w, p.files, func(z *zip.Writer, name string) error {
		r, err := openRegular(p.dist, name)
		if err != nil {
			return err
		}
		defer r.Close()
		to, err := z.CreateHeader(p.header(name))
		if err != nil {
			return err
		}
		p.sums[name], err = sumOf(io.TeeReader(r, to))
		return err
	})
}

// writePlatform writes the zip for one platform. It copies from the zip for all
// platforms, since compressing the files again would take long.
func (p *packer) writePlatform(ctx context.Context, w io.Writer, all string, platform bundle.Platform) error {
	files := slices.DeleteFunc(slices.Clone(p.files), func(name string) bool {
		of, isExecutable := p.executables[name]
		return isExecutable && of != platform || name == signature.File
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
	return p.writeZip(ctx, w, files, func(z *zip.Writer, name string) error { return z.Copy(packed[p.header(name).Name]) })
}

// writeZip writes a zip to which file adds each file.
func (p *packer) writeZip(ctx context.Context, w io.Writer, files []string, file func(z *zip.Writer, name string) error) error {
	z := zip.NewWriter(w)
	for _, name := range files {
		err := context.Cause(ctx)
		if err == nil {
			err = file(z, name)
		}
		if err != nil {
			return fmt.Errorf("pack %s: %w", name, err)
		}
	}
	return z.Close()
}

// header returns the header of the entry for a file of the plugin. It uses only the
// name of the file on disk.
func (p *packer) header(name string) *zip.FileHeader {
	mode := fs.FileMode(0o644)
	if _, ok := p.executables[name]; ok {
		mode = 0o755
	}
	h := &zip.FileHeader{Name: p.id + "/" + name, Method: zip.Deflate, Modified: p.time}
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

// executables returns the platforms of the files that are executables of the plugin
// or of the plugins nested in it.
func executables(dist fs.FS, files []string) (map[string]bundle.Platform, error) {
	found := map[string]bundle.Platform{}
	for _, file := range files {
		if path.Base(file) != bundle.MetadataFile {
			continue
		}
		metadata, err := ReadMetadata(dist, file)
		if err != nil {
			return nil, err
		}
		if metadata.Executable == "" {
			continue
		}
		name := path.Join(path.Dir(file), metadata.Executable)
		for _, file := range files {
			if _, platform, ok := bundle.SplitExecutable(path.Base(file)); ok && platform.Executable(name) == file {
				found[file] = platform
			}
		}
	}
	return found, nil
}
