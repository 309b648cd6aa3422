package archive

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/crypto/blake2b"
)

// SignatureFile is the name of the signature of the manifest, next to it. It has the
// format of minisign, which verifies it with
//
//	minisign -V -m MANIFEST.json -P <PublicKey.String>
const SignatureFile = ManifestFile + ".minisig"

const (
	untrustedComment  = "untrusted comment: "
	trustedComment    = "trusted comment: "
	maxSignatureBytes = 4 << 10

	publicKeyAlgorithm = "Ed"
	prehashedAlgorithm = "ED" // the signature is of the BLAKE2b-512 sum
)

var errSignatureSyntax = errors.New(SignatureFile + " is not a signature in minisign's prehashed format")

// signature is a signature in the format of minisign.
type signature struct {
	keyID   [8]byte
	message [ed25519.SignatureSize]byte // of the BLAKE2b-512 sum of the message
	comment string                      // trusted
	global  [ed25519.SignatureSize]byte // of the two above
}

// Sign writes the manifest of the built plugin in the directory dist and its
// signature into that directory.
func Sign(dist string, key ed25519.PrivateKey) (*Manifest, error) {
	if err := checkForeign(os.DirFS(dist)); err != nil {
		return nil, err
	}
	m, err := WriteManifest(dist)
	if err != nil {
		return nil, err
	}
	return m, writeFile(filepath.Join(dist, SignatureFile), m.sign(key))
}

// checkForeign returns ErrForeign if a MANIFEST.txt would become invalid with our signature, which it does not list.
func checkForeign(plugin fs.FS) error {
	foreign, err := ReadForeign(plugin)
	if err == nil && foreign != nil && !lists(foreign, SignatureFile) {
		return ErrForeign
	}
	return err
}

// sign returns the content of the signature file.
func (m *Manifest) sign(key ed25519.PrivateKey) []byte {
	public := NewPublicKey(key.Public().(ed25519.PublicKey))
	digest := blake2b.Sum512(m.Encode())
	s := signature{
		keyID:   public.id,
		message: [ed25519.SignatureSize]byte(ed25519.Sign(key, digest[:])),
		comment: "plugin:" + m.Plugin + "\tversion:" + m.Version,
	}
	s.global = [ed25519.SignatureSize]byte(ed25519.Sign(key, s.signedByGlobal()))
	return fmt.Appendf(nil, "%ssignature by the key %s\n%s\n%s%s\n%s\n",
		untrustedComment, public.ID(), encodeLine(prehashedAlgorithm, s.keyID, s.message[:]),
		trustedComment, s.comment, base64.StdEncoding.EncodeToString(s.global[:]))
}

func (s *signature) signedByGlobal() []byte { return append(s.message[:], s.comment...) }

// CheckSignature verifies the content of a signature file against the manifest, as Verify
// does. Without trusted keys it checks only that the signature has the right form.
func CheckSignature(manifest, signature []byte, trusted ...PublicKey) error {
	s, err := parseSignature(signature)
	if err != nil || len(trusted) == 0 {
		return err
	}
	return s.verify(manifest, trusted)
}

func parseSignature(data []byte) (*signature, error) {
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[0], untrustedComment) {
		return nil, errSignatureSyntax
	}
	comment, ok := strings.CutPrefix(lines[2], trustedComment)
	id, message, isMessage := decodeLine(lines[1], prehashedAlgorithm, ed25519.SignatureSize)
	global, err := base64.StdEncoding.Strict().DecodeString(lines[3])
	if !ok || !isMessage || err != nil || len(global) != ed25519.SignatureSize {
		return nil, errSignatureSyntax
	}
	return &signature{id, [ed25519.SignatureSize]byte(message), comment, [ed25519.SignatureSize]byte(global)}, nil
}

// encodeLine returns the line of base64 in which minisign writes a key or a
// signature.
func encodeLine(algorithm string, id [8]byte, content []byte) string {
	return base64.StdEncoding.EncodeToString(slices.Concat([]byte(algorithm), id[:], content))
}

// decodeLine reads a line that encodeLine wrote; ok is false for any other one.
func decodeLine(line, algorithm string, size int) (id [8]byte, content []byte, ok bool) {
	raw, err := base64.StdEncoding.Strict().DecodeString(line)
	if err != nil || len(raw) != len(algorithm)+len(id)+size || !strings.HasPrefix(string(raw), algorithm) {
		return id, nil, false
	}
	raw = raw[len(algorithm):]
	return [8]byte(raw), raw[len(id):], true
}

// verify returns an error unless s is the signature of the message by one of the
// trusted keys.
func (s *signature) verify(message []byte, trusted []PublicKey) error {
	err := error(&UnknownKeyError{KeyID: keyID(s.keyID)})
	digest := blake2b.Sum512(message)
	for _, k := range trusted {
		if k.id != s.keyID || len(k.key) != ed25519.PublicKeySize {
			continue
		}
		if ed25519.Verify(k.key, digest[:], s.message[:]) && ed25519.Verify(k.key, s.signedByGlobal(), s.global[:]) {
			return nil
		}
		err = ErrBadSignature
	}
	return err
}
