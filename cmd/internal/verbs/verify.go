package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/slipway-dev/slipway/bundle/archive"
	"github.com/slipway-dev/slipway/bundle/signature"
	"github.com/slipway-dev/slipway/internal/limit"
	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/internal/text"
)

// verifyOptions are the options of the verb verify.
type verifyOptions struct {
	Face  Face
	Dir   string   // the plugin repository; "" is the current directory
	Paths []string // of a dist, zips and directories of zips; nil is what Sign signs by default
	All   bool     // of every plugin repository at Paths, or at Dir, and below
	Key   string   // file of public keys, one of which must have signed; "" does not verify signatures

	RootURL string // of a Grafana for which the signature in MANIFEST.txt must hold; "" does not ask
	Signers string // armored OpenPGP keys that sign each MANIFEST.txt; "" are those of Grafana
}

// runVerify compares built plugins with their manifests, signatures and checksums, and prints the
// result for each plugin to w, with the files that differ. The error has ExitFindings if anything differs.
func runVerify(ctx context.Context, w io.Writer, o verifyOptions) error {
	var trusted []archive.PublicKey
	if o.Key != "" {
		var err error
		if trusted, err = ReadPublicKeys(o.Face.Option("key"), o.Key); err != nil {
			return err
		}
	}
	if o.All {
		dirs, err := reposAt(o.Face, o.Dir, o.Paths)
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
		v := verification{verifyOptions: o, w: w, trusted: trusted}
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
	verifyOptions
	w           io.Writer
	trusted     []archive.PublicKey
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
	signed, listed, foreignErr := v.readForeign(dist)
	r, err := archive.Inspect(dist, v.trusted...)
	switch {
	case foreignErr != nil:
		v.differs("refused", foreignErr.Error())
	case errors.Is(err, fs.ErrNotExist) && signed != nil && len(v.trusted) == 0:
		v.files(listed)
	case errors.Is(err, fs.ErrNotExist):
		v.differs("missing", archive.ManifestFile+", which package and sign write")
	case err != nil:
		v.differs("refused", err.Error())
	default:
		v.files(r, listed)
		v.signature(r)
	}
	v.foreign(signed, listed)
}

// readForeign reads the MANIFEST.txt of a plugin and compares the files that it lists. The results are nil if there is
// none, or if it lists none.
func (v *verification) readForeign(dist fs.FS) (*signature.Manifest, *archive.Report, error) {
	data, err := archive.ReadForeign(dist)
	if data == nil || err != nil {
		return nil, nil, err
	}
	m := signature.Read(data, v.Signers)
	if len(m.Files) == 0 {
		return m, nil, nil
	}
	r, err := archive.InspectForeign(dist, m.Plugin, m.Version, m.Files)
	return m, r, err
}

// files prints how many files are those of the manifests, and the others by path.
func (v *verification) files(reports ...*archive.Report) {
	problems := map[string]error{}
	for _, r := range reports {
		if r == nil {
			continue
		}
		for _, f := range r.Manifest.Files {
			if _, ok := problems[f.Path]; !ok {
				problems[f.Path] = nil
			}
		}
		for _, d := range r.Files {
			problems[d.Path] = d.Err
		}
		if r.Owner != nil {
			v.differs("refused", r.Owner.Error())
		}
	}
	ok := 0
	for _, path := range slices.Sorted(maps.Keys(problems)) {
		err, result, what := problems[path], "refused", path
		switch {
		case err == nil:
			ok++
			continue
		case errors.Is(err, archive.ErrChanged):
			result = "changed"
		case errors.Is(err, archive.ErrMissing):
			result = "missing"
		case errors.Is(err, archive.ErrUndeclared):
			result = "added"
		}
		if !slices.Contains([]error{archive.ErrChanged, archive.ErrMissing, archive.ErrUndeclared}, err) { // err says more
			what += ": " + err.Error()
		}
		v.differs(result, what)
	}
	if ok > 0 {
		v.line("ok", text.Plural(ok, "file"))
	}
}

// foreign prints what the MANIFEST.txt means to a Grafana.
func (v *verification) foreign(m *signature.Manifest, listed *archive.Report) {
	switch {
	case m == nil && v.RootURL != "":
		v.differs("unsigned", signature.File+" is missing, so Grafana loads the plugin only if allow_loading_unsigned_plugins names it")
	case m == nil:
	case m.Err != nil:
		v.differs("refused", fmt.Sprintf("%s: %v; %s", signature.File, m.Err, signature.Invalid))
	case listed != nil && (len(listed.Files) > 0 || listed.Owner != nil):
		v.differs("refused", fmt.Sprintf("%s: %v, but the plugin is not what was signed; %s", signature.File, m, signature.Modified))
	default:
		v.line("ok", fmt.Sprintf("%s: %v", signature.File, m))
	}
	if m == nil || m.Err != nil || v.RootURL == "" {
		return
	}
	if err := m.CheckRootURL(v.RootURL); err != nil {
		v.differs("refused", fmt.Sprintf("%v; %s", err, signature.Invalid))
		return
	}
	v.line("ok", "the signature holds for a Grafana at "+v.RootURL)
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
		v.line("note", fmt.Sprintf("signed with the key %s; the signature was not verified: %s names the keys to trust", r.KeyID, v.Face.Option("key")))
	default:
		v.differs("refused", r.Signature.Error())
	}
}

func (v *verification) differs(result, what string) {
	v.differences++
	v.line(result, what)
}

func (v *verification) line(result, what string) {
	color := map[string]string{"ok": terminal.Green, "note": terminal.Blue}[result]
	fmt.Fprintf(v.w, "  %s %s\n", terminal.Paint(v.w, cmp.Or(color, terminal.Red), fmt.Sprintf("%-8s", result)), terminal.Line(what))
}

// ReadPublicKeys reads the file of public keys that an option names.
func ReadPublicKeys(option, file string) ([]archive.PublicKey, error) {
	data, err := readKeyFile(file)
	if err != nil {
		return nil, Usage("%s: %w", option, err)
	}
	keys, err := archive.ParsePublicKeys(data)
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
