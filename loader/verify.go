package loader

import (
	"cmp"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/archive"
)

// mounted is a plugin that matches its manifest, or has none.
type mounted struct {
	bundle.Plugin
	verified *verified // nil if the plugin has no manifest
}

// verified is a manifest that the files next to it matched.
type verified struct {
	dir      string
	manifest *archive.Manifest
}

// verify returns the plugins to mount and a fault for each that differs from its manifest.
// The manifest of a plugin covers the plugins in its directory, even if the plugin itself
// cannot be mounted.
func (o Options) verify(found []bundle.Plugin) (mounts []mounted, faults []bundle.Fault) {
	type result struct {
		verified *verified
		err      error
	}
	results := map[string]result{} // by bundle.Plugin.Root
	for _, p := range found {
		root := cmp.Or(p.Root, p.Dir)
		r, ok := results[root]
		if !ok {
			r.verified, r.err = o.verifyDir(root)
			results[root] = r
		}
		if r.verified == nil && r.err == nil && root != p.Dir {
			r.verified, r.err = o.verifyDir(p.Dir)
		}
		err := r.err
		if err == nil { // plugin.json may have been replaced since it was read
			err = r.verified.check(filepath.Join(p.Dir, bundle.MetadataFile), hex.EncodeToString(p.Digest[:]))
		}
		if err != nil {
			f := *notVerified(err)
			f.Path, f.PluginID = p.Dir, p.Metadata.ID
			faults = append(faults, f)
			continue
		}
		mounts = append(mounts, mounted{p, r.verified})
	}
	return mounts, faults
}

// verifyDir compares the directory of a plugin with the manifest in it. It returns nil if
// there is none, unless the options require a signature.
func (o Options) verifyDir(dir string) (*verified, error) {
	root, closer, err := archive.Open(dir)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	// The name must match exactly: where case does not matter, manifest.json is the same
	// file, and web apps have one.
	entries, err := fs.ReadDir(root, ".")
	if err != nil {
		return nil, err
	}
	hasManifest := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == archive.ManifestFile })
	v := &verified{dir: dir}
	switch {
	case len(o.TrustedKeys) > 0:
		v.manifest, err = archive.Verify(root, o.TrustedKeys...)
	case hasManifest:
		v.manifest, err = archive.Check(root)
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

// check returns an error unless the manifest lists a file with this SHA-256, in hexadecimal.
// A nil verified allows every file.
func (v *verified) check(file, sum string) error {
	if v == nil {
		return nil
	}
	name, err := filepath.Rel(v.dir, file)
	if err != nil {
		return err
	}
	name = filepath.ToSlash(name)
	listed, ok := v.manifest.File(name)
	switch {
	case !ok:
		return &archive.FileError{Path: name, Err: archive.ErrUndeclared}
	case listed.SHA256 != sum:
		return &archive.FileError{Path: name, Err: archive.ErrChanged}
	}
	return nil
}

// notVerified returns the fault for a plugin that does not match its manifest or is not
// signed.
func notVerified(err error) *bundle.Fault {
	for _, c := range []struct {
		err  error
		code bundle.FaultCode
	}{
		{archive.ErrUnsigned, bundle.FaultUnsigned},
		{archive.ErrUnknownKey, bundle.FaultUntrusted},
		{archive.ErrBadSignature, bundle.FaultBadSignature},
		{archive.ErrChanged, bundle.FaultChanged},
		{archive.ErrMissing, bundle.FaultChanged},
		{archive.ErrUndeclared, bundle.FaultChanged},
		{archive.ErrLink, bundle.FaultChanged},
		{archive.ErrIrregular, bundle.FaultChanged},
	} {
		if errors.Is(err, c.err) {
			return newFault(c.code, "%v", err)
		}
	}
	return newFault(bundle.FaultNotVerified, "%v", err)
}
