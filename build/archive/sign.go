package archive

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/blake2b"
)

// SignatureFile is the name of the signature of the manifest, beside it. It has the
// format of minisign, which verifies it with
//
//	minisign -V -m MANIFEST.json -P <PublicKey.String>
const SignatureFile = ManifestFile + ".minisig"

const (
	untrustedComment  = "untrusted comment: "
	trustedComment    = "trusted comment: "
	prehashed         = "ED" // the signature is of the BLAKE2b-512 sum
	maxSignatureBytes = 4 << 10
)

var errSignatureSyntax = errors.New("not a signature in minisign's prehashed format")

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
	m, err := WriteManifest(dist)
	if err != nil {
		return nil, err
	}
	return m, writeFile(filepath.Join(dist, SignatureFile), m.sign(key))
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
	encoding := base64.StdEncoding
	return fmt.Appendf(nil, "%ssignature by the key %s\n%s\n%s%s\n%s\n",
		untrustedComment, public.ID(), encoding.EncodeToString(slicesOf(prehashed, s.keyID[:], s.message[:])),
		trustedComment, s.comment, encoding.EncodeToString(s.global[:]))
}

func (s *signature) signedByGlobal() []byte { return append(s.message[:], s.comment...) }

func parseSignature(data []byte) (*signature, error) {
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[0], untrustedComment) {
		return nil, errSignatureSyntax
	}
	comment, ok := strings.CutPrefix(lines[2], trustedComment)
	encoding := base64.StdEncoding.Strict()
	message, messageErr := encoding.DecodeString(lines[1])
	global, globalErr := encoding.DecodeString(lines[3])
	if !ok || messageErr != nil || globalErr != nil ||
		len(message) != 2+8+ed25519.SignatureSize || string(message[:2]) != prehashed || len(global) != ed25519.SignatureSize {
		return nil, errSignatureSyntax
	}
	return &signature{
		keyID:   [8]byte(message[2:10]),
		message: [ed25519.SignatureSize]byte(message[10:]),
		comment: comment,
		global:  [ed25519.SignatureSize]byte(global),
	}, nil
}

// verify reports why s is not the signature of the message by one of the trusted
// keys.
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
