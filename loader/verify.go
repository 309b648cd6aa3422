package loader

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"

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

// foreignManifest is the manifest of another service, in a clearsigned OpenPGP message.
const foreignManifest = "MANIFEST.txt"

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
		m, err := mounted{}, r.err
		if err == nil {
			m, err = r.verified.mount(p)
		}
		if err != nil {
			f := *notVerified(err)
			f.Path, f.PluginID = p.Dir, p.Metadata.ID
			faults = append(faults, f)
			continue
		}
		mounts = append(mounts, m)
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
	hasManifest := false
	for _, e := range entries {
		switch e.Name() {
		case archive.ManifestFile:
			hasManifest = true
		case foreignManifest:
			o.Logger.Debug("plugin manifest of another service ignored", "directory", dir, "file", foreignManifest)
		}
	}
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

// mount returns the plugin with the metadata that the manifest covers: plugin.json may have
// been replaced since it was read.
func (v *verified) mount(p bundle.Plugin) (mounted, error) {
	if v == nil {
		return mounted{Plugin: p}, nil
	}
	name, err := v.relative(filepath.Join(p.Dir, bundle.MetadataFile))
	if err != nil {
		return mounted{}, err
	}
	root, closer, err := archive.Open(v.dir)
	if err != nil {
		return mounted{}, err
	}
	defer closer.Close()
	id := p.Metadata.ID
	if p.Metadata, err = v.manifest.Metadata(root, name); err != nil {
		return mounted{}, err
	}
	if p.Metadata.ID != id {
		return mounted{}, &archive.FileError{Path: name, Err: archive.ErrChanged}
	}
	return mounted{p, v}, nil
}

// check returns an error unless the manifest lists a file with this SHA-256, in hexadecimal.
// A nil verified allows every file.
func (v *verified) check(file, sum string) error {
	if v == nil {
		return nil
	}
	name, err := v.relative(file)
	if err != nil {
		return err
	}
	listed, ok := v.manifest.File(name)
	switch {
	case !ok:
		err = &archive.FileError{Path: name, Err: archive.ErrUndeclared}
	case listed.SHA256 != sum:
		err = &archive.FileError{Path: name, Err: archive.ErrChanged}
	default:
		return nil
	}
	return notVerified(err)
}

// relative returns the path of a file as the manifest lists it.
func (v *verified) relative(file string) (string, error) {
	name, err := filepath.Rel(v.dir, file)
	return filepath.ToSlash(name), err
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
