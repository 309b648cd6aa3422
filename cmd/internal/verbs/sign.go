package verbs

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/archive"
	"github.com/slipway-dev/slipway/internal/atomicfile"
)

// signOptions are the options of the verb sign.
type signOptions struct {
	Face Face
	Dir  string // the plugin repository; "" is the current directory
	Path string // dist, a zip or a directory of zips; "" is dist and the zips of its version in release
	Key  string // file of an ed25519 private key
}

// runSign signs a built plugin and its zips, and prints what it signed to w. A signed dist has
// MANIFEST.json and its signature.
func runSign(w io.Writer, o signOptions) error {
	if o.Key == "" {
		return Usage("%s is required: a file with an ed25519 private key (PEM or OpenSSH)\n"+
			"help: \"ssh-keygen -t ed25519 -f ../release-key\" writes one outside of the repository; leave the passphrase empty", o.Face.Option("key"))
	}
	key, err := readPrivateKey(w, o.Face, o.Key)
	if err != nil {
		return err
	}
	if err := signAll(w, o, key); err != nil {
		return err
	}
	public := archive.NewPublicKey(key.Public().(ed25519.PublicKey))
	fmt.Fprintf(w, "to verify it with minisign: minisign -V -m %s -P %s\n", archive.ManifestFile, public)
	return nil
}

// signAll signs what the options name.
func signAll(w io.Writer, o signOptions, key ed25519.PrivateKey) error {
	if o.Path != "" {
		plugins, err := findPacked([]string{o.Path})
		for _, p := range plugins {
			if err == nil {
				_, err = sign(w, p, key)
			}
		}
		return err
	}
	repo, err := FindRepo(w, o.Dir)
	if err != nil {
		return err
	}
	for _, dir := range []string{bundle.DistDir, releaseDir} {
		if _, err := atomicfile.Below(repo.Root, dir); err != nil {
			return fmt.Errorf("sign: %w", err)
		}
	}
	m, err := sign(w, packed{path: repo.Dist}, key)
	if errors.Is(err, fs.ErrNotExist) {
		err = o.Face.notBuilt("sign", err)
	}
	if err != nil {
		return err
	}
	zips, err := releasedZips(repo, m.Plugin, m.Version)
	for _, zip := range zips {
		if err == nil {
			_, err = sign(w, zip, key)
		}
	}
	return err
}

// releasedZips returns the zips in release of one version of the plugin.
func releasedZips(repo bundle.Repo, id, version string) (plugins []packed, err error) {
	zips, err := zipsIn(filepath.Join(repo.Root, releaseDir))
	for _, zip := range zips {
		rest, ok := strings.CutPrefix(filepath.Base(zip), id+"-"+version+".")
		if ok && (rest == "zip" || strings.Contains(rest, "_")) {
			plugins = append(plugins, packed{zip, true})
		}
	}
	return plugins, err
}

// sign signs one plugin and prints what it signed.
func sign(w io.Writer, p packed, key ed25519.PrivateKey) (m *archive.Manifest, err error) {
	if p.isZip {
		m, err = archive.SignZip(p.path, key)
	} else {
		m, err = archive.Sign(p.path, key)
	}
	if err != nil {
		return nil, fmt.Errorf("sign %s: %w", shortPath(p.path), err)
	}
	id := archive.NewPublicKey(key.Public().(ed25519.PublicKey)).ID()
	fmt.Fprintf(w, "signed %s with the key %s\n", shortPath(p.path), id)
	return m, nil
}

// readPrivateKey reads the file that the option key names.
func readPrivateKey(w io.Writer, face Face, file string) (ed25519.PrivateKey, error) {
	text, err := readKeyFile(file)
	if err != nil {
		return nil, Usage("%s: %w", face.Option("key"), err)
	}
	key, err := archive.ParsePrivateKey(text)
	if err != nil {
		return nil, Usage("%s=%s: %w", face.Option("key"), file, err)
	}
	if info, err := os.Stat(file); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		fmt.Fprintf(w, "warning: other users may read the private key %[1]s; protect it with: chmod 600 %[1]s\n", file)
	}
	return key, nil
}
