// Package signature reads MANIFEST.txt, the list of a plugin's files that Grafana signs, and verifies it as Grafana
// does, offline, with the public key that Grafana publishes. It neither signs nor compares files.
package signature

import (
	"bytes"
	"cmp"
	_ "embed" // grafana.asc
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/clearsign"
	pgp "github.com/ProtonMail/go-crypto/openpgp/errors"
	"github.com/gobwas/glob"
)

// File is the name of the list, next to the plugin.json of a built plugin.
const File = "MANIFEST.txt"

// What Grafana does with a plugin whose signature it does not accept, or whose files are not those that were signed.
const (
	Invalid  = "Grafana refuses to load the plugin: invalid signature"
	Modified = "Grafana refuses to load the plugin: modified signature"
)

//go:embed grafana.asc
var grafana string

// Manifest is the content of a MANIFEST.txt.
type Manifest struct {
	Plugin, Version string            // the id is Plugin
	Files           map[string]string // hexadecimal SHA-256 sums, by the slash path from the plugin's directory
	KeyID           string            // hexadecimal, of the key that signed
	Time            int64             // in milliseconds
	ManifestVersion string
	SignatureType   string // grafana, commercial, community, private or private-glob
	SignedByOrg     string
	SignedByOrgName string
	RootURLs        []string // of the hosts that the signature is for; if empty, all hosts

	Err error `json:"-"` // why Grafana takes the signature for invalid; nil if it is valid
}

// Read reads the text of a MANIFEST.txt and verifies its signature. Keys are the armored OpenPGP public keys of the
// service that signs; "" are Grafana's. An unsigned or damaged text yields a Manifest that has an Err, and what could
// be read.
func Read(text []byte, keys string) *Manifest {
	m := &Manifest{}
	m.Err = m.read(text, cmp.Or(keys, grafana))
	return m
}

func (m *Manifest) read(text []byte, keys string) error {
	block, _ := clearsign.Decode(text)
	if block == nil {
		return whyUnsigned(text)
	}
	err := json.Unmarshal(block.Plaintext, m)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("the signed text is not what Grafana writes: %q has the wrong type, %s", wrong.Field, wrong.Value)
	} else if err != nil {
		return fmt.Errorf("the signed text is not what Grafana writes: %w", err)
	}
	ring, err := openpgp.ReadArmoredKeyRing(strings.NewReader(keys))
	if err != nil {
		return fmt.Errorf("public keys: %w", err)
	}
	id, err := strconv.ParseUint(m.KeyID, 16, 64)
	isKnown := err == nil && len(ring.KeysById(id)) > 0
	_, err = openpgp.CheckDetachedSignature(ring, bytes.NewReader(block.Bytes), block.ArmoredSignature.Body, nil)
	_, isChanged := errors.AsType[pgp.SignatureError](err)
	switch {
	case errors.Is(err, pgp.ErrUnknownIssuer), err == nil && !isKnown:
		return fmt.Errorf("it is signed with a key that Grafana does not know, keyId %q", m.KeyID)
	case errors.Is(err, pgp.ErrSignatureExpired), errors.Is(err, pgp.ErrKeyExpired):
		return fmt.Errorf("it has expired: %w", err)
	case isChanged:
		return errors.New("its text, or the signature itself, was changed after it was signed")
	case err != nil:
		return fmt.Errorf("the block after -----BEGIN PGP SIGNATURE----- is damaged: %w", err)
	}
	return m.checkFields()
}

// checkFields reports what Grafana requires besides a signature.
func (m *Manifest) checkFields() error {
	if !strings.HasPrefix(m.ManifestVersion, "2.") {
		return fmt.Errorf("it has the format of 2020, manifestVersion %q instead of 2, which Grafana no longer accepts", m.ManifestVersion)
	}
	for _, field := range []struct{ key, value string }{
		{"plugin", m.Plugin}, {"version", m.Version}, {"signedByOrg", m.SignedByOrg}, {"signedByOrgName", m.SignedByOrgName},
	} {
		if field.value == "" {
			return fmt.Errorf("missing key %q", field.key)
		}
	}
	switch {
	case m.Time == 0:
		return errors.New(`missing key "time"`)
	case len(m.Files) == 0:
		return errors.New(`missing key "files"`)
	case !slices.Contains([]string{"grafana", "commercial", "community", "private", "private-glob"}, m.SignatureType):
		return fmt.Errorf("unknown signatureType %q", m.SignatureType)
	}
	return nil
}

const (
	begin     = "-----BEGIN PGP SIGNED MESSAGE-----"
	beginSign = "-----BEGIN PGP SIGNATURE-----"
	endSign   = "-----END PGP SIGNATURE-----"
)

// whyUnsigned returns why Grafana finds no signed message in a text.
func whyUnsigned(text []byte) error {
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	has := func(line string) bool { return slices.Contains(lines, line) }
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return errors.New("it is empty")
	case bytes.HasPrefix(text, []byte("\xff\xfe")), bytes.HasPrefix(text, []byte("\xfe\xff")):
		return errors.New("it is UTF-16, in which Grafana finds no signature: save it as UTF-8, or sign the plugin again")
	case lines[0] == "\ufeff"+begin:
		return errors.New("it begins with a byte order mark, behind which Grafana finds no signature: save it without one, or sign the plugin again")
	case !bytes.Contains(text, []byte(begin)):
		return fmt.Errorf("it is not a signed message: it has no line %q", begin)
	case !has(begin):
		return fmt.Errorf("Grafana finds no signature, because there is more in the line of %q", begin)
	case !has(beginSign):
		return fmt.Errorf("it is not signed: the line %q is missing", beginSign)
	case !bytes.Contains(text, []byte(endSign)):
		return fmt.Errorf("it is incomplete: the line %q is missing", endSign)
	}
	return errors.New("Grafana cannot read the signed message: its header or the header of its signature is damaged")
}

// String says what was signed, and for whom.
func (m *Manifest) String() string {
	hosts := "every host"
	if len(m.RootURLs) > 0 {
		hosts = strings.Join(m.RootURLs, ", ")
	}
	return fmt.Sprintf("signature of type %s for %s %s, of the organization %s (%s), for %s",
		m.SignatureType, m.Plugin, m.Version, m.SignedByOrgName, m.SignedByOrg, hosts)
}

// IsPrivate reports whether the signature is for certain hosts only.
func (m *Manifest) IsPrivate() bool { return strings.HasPrefix(m.SignatureType, "private") }

// IsLocal reports whether the signature is only for hosts on the machine that they run on.
func (m *Manifest) IsLocal() bool {
	return len(m.RootURLs) > 0 && !slices.ContainsFunc(m.RootURLs, func(root string) bool {
		u, err := url.Parse(root)
		return err != nil || u.Hostname() != "localhost" && !net.ParseIP(u.Hostname()).IsLoopback()
	})
}

// CheckRootURL returns an error unless the signature holds for a Grafana with this root_url.
func (m *Manifest) CheckRootURL(root string) error {
	if !strings.HasSuffix(root, "/") { // Grafana adds it to the setting
		root += "/"
	}
	at, err := url.Parse(root)
	if err != nil {
		return err
	}
	if len(m.RootURLs) == 0 {
		return nil
	}
	for _, spec := range m.RootURLs {
		u, err := url.Parse(spec)
		if err != nil {
			return fmt.Errorf("Grafana cannot read the address %q that the signature is for: %w", spec, err)
		}
		if u.Scheme == at.Scheme && u.Host == at.Host && path.Clean(u.RequestURI()) == path.Clean(at.RequestURI()) {
			return nil
		}
		if m.SignatureType != "private-glob" {
			continue
		}
		pattern, err := glob.Compile(spec, '/', '.')
		if err != nil {
			return fmt.Errorf("Grafana cannot read the pattern %q that the signature is for: %w", spec, err)
		}
		if pattern.Match(root) {
			return nil
		}
	}
	return fmt.Errorf("the signature is only for %s, not for %s: scheme, host, port and path must be the same", strings.Join(m.RootURLs, ", "), root)
}
