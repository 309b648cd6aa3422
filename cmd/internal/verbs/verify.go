package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/archive"
	"github.com/slipway-dev/slipway/bundle/signature"
	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/internal/text"
)

type verifyOptions struct {
	Face  Face
	Dir   string   // the plugin repository; "" is the current directory
	Paths []string // of a dist, zips and directories of zips; nil is dist and the zips of its version in release
	All   bool     // of every plugin repository at Paths, or at Dir, and below

	RootURL string // of a Grafana for which the signature in MANIFEST.txt must hold; "" does not ask
	Signers string // armored OpenPGP keys that sign each MANIFEST.txt; "" are those of Grafana
}

// runVerify compares built plugins with their signatures and checksums, and prints the
// result for each plugin to w, with the files that differ. The error has ExitFindings if anything differs.
func runVerify(ctx context.Context, w io.Writer, o verifyOptions) error {
	if o.All {
		dirs, err := reposAt(o.Face, true, o.Dir, o.Paths)
		if err != nil {
			return err
		}
		o.All, o.Paths = false, nil
		return each(ctx, w, "verify", dirs, func(dir string) error {
			o.Dir = dir
			return runVerify(ctx, w, o)
		})
	}
	plugins, err := findPacked(o.Paths)
	if o.Paths == nil {
		plugins, err = findSigned(w, o)
	}
	if err != nil {
		return err
	}
	differ := 0
	for _, p := range plugins {
		v := verification{verifyOptions: o, w: w}
		if v.plugin(p); v.differences > 0 {
			differ++
		}
	}
	if differ > 0 && len(plugins) == 1 {
		return errors.New("verify: the plugin is not signed, or does not match its signature or checksums")
	}
	if differ > 0 {
		return fmt.Errorf("verify: plugins that are not signed, or do not match their signatures or checksums: %d of %d", differ, len(plugins))
	}
	return nil
}

// verification prints the result for one plugin.
type verification struct {
	verifyOptions
	w           io.Writer
	verified    int // lines that say ok
	differences int
}

func (v *verification) plugin(p packed) {
	fmt.Fprintln(v.w, terminal.Line(shortPath(p.path)))
	if p.isZip {
		match, differ, err := archive.CheckSums(p.path)
		for _, name := range match {
			v.ok(name)
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
	const maxBytes = 8 << 20
	text, err := archive.ReadFile(dist, signature.File, maxBytes)
	switch {
	case err == nil:
		v.signature(dist, signature.Read(text, v.Signers))
	case !errors.Is(err, fs.ErrNotExist):
		v.differs("refused", err.Error())
	case v.RootURL != "":
		v.differs("unsigned", signature.File+" is missing, so Grafana loads the plugin only if allow_loading_unsigned_plugins names it")
	case v.verified == 0 && v.differences == 0:
		v.differs("unsigned", signature.File+" is missing, and there is no checksum, so nothing was verified")
	default:
		v.line("note", "the plugin is not signed: "+signature.File+" is missing")
	}
}

// signature compares the files of a plugin with those that were signed, and prints what the signature means to a Grafana.
func (v *verification) signature(dist fs.FS, m *signature.Manifest) {
	before := v.differences
	if len(m.Files) > 0 {
		v.files(dist, m)
	}
	switch {
	case m.Err != nil:
		v.differs("refused", fmt.Sprintf("%s: %v; %s", signature.File, m.Err, signature.Invalid))
		return
	case v.differences > before:
		v.differs("refused", fmt.Sprintf("%s: %v, but the plugin is not what was signed; %s", signature.File, m, signature.Modified))
	default:
		v.ok(fmt.Sprintf("%s: %v", signature.File, m))
	}
	if v.RootURL == "" {
		return
	}
	if err := m.CheckRootURL(v.RootURL); err != nil {
		v.differs("refused", fmt.Sprintf("%v; %s", err, signature.Invalid))
		return
	}
	v.ok("the signature holds for a Grafana at " + v.RootURL)
}

// files prints how many files are those that were signed, and the others by path.
func (v *verification) files(dist fs.FS, m *signature.Manifest) {
	built, err := archive.ReadMetadata(dist, bundle.MetadataFile)
	if err == nil && (built.ID != m.Plugin || built.Info.Version != m.Version) {
		err = fmt.Errorf("the manifest belongs to another plugin or version: it is for %s %s, but plugin.json is for %s %s",
			m.Plugin, m.Version, built.ID, built.Info.Version)
	}
	if err != nil {
		v.differs("refused", err.Error())
	}
	differences, err := archive.Compare(dist, ".", m)
	if err != nil {
		v.differs("refused", err.Error())
		return
	}
	same := len(m.Files)
	for _, d := range differences {
		result, what := "refused", d.Path
		switch {
		case errors.Is(d.Err, archive.ErrChanged):
			result = "changed"
		case errors.Is(d.Err, archive.ErrMissing):
			result = "missing"
		case errors.Is(d.Err, archive.ErrUndeclared):
			result = "added"
		}
		if !slices.Contains([]error{archive.ErrChanged, archive.ErrMissing, archive.ErrUndeclared}, d.Err) { // it says more
			what += ": " + d.Err.Error()
		}
		if _, isListed := m.Files[d.Path]; isListed {
			same--
		}
		v.differs(result, what)
	}
	if same > 0 {
		v.ok(text.Plural(same, "file"))
	}
}

func (v *verification) ok(what string) {
	v.verified++
	v.line("ok", what)
}

func (v *verification) differs(result, what string) {
	v.differences++
	v.line(result, what)
}

func (v *verification) line(result, what string) {
	color := map[string]string{"ok": terminal.Green, "note": terminal.Blue}[result]
	fmt.Fprintf(v.w, "  %s %s\n", terminal.Paint(v.w, cmp.Or(color, terminal.Red), fmt.Sprintf("%-8s", result)), terminal.Line(what))
}
