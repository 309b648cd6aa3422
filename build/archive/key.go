package archive

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/ssh"
)

// PublicKey is a key that verifies signatures.
type PublicKey struct {
	id  [8]byte
	key ed25519.PublicKey
}

// NewPublicKey returns the public key for an ed25519 key. Its id is the start of
// the key's SHA-256 sum.
func NewPublicKey(key ed25519.PublicKey) PublicKey {
	digest := sha256.Sum256(key)
	return PublicKey{id: [8]byte(digest[:8]), key: key}
}

// ID returns the id of the key in 16 hexadecimal digits, as minisign prints it.
func (k PublicKey) ID() string { return keyID(k.id) }

func keyID(id [8]byte) string { return fmt.Sprintf("%016X", binary.LittleEndian.Uint64(id[:])) }

// String returns the key as minisign writes it: one line of base64.
func (k PublicKey) String() string {
	return encodeLine(publicKeyAlgorithm, k.id, k.key)
}

// GenerateKey returns a new private key in PKCS#8 PEM, which ParsePrivateKey reads.
func GenerateKey() ([]byte, error) {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

// ParsePrivateKey reads an unencrypted ed25519 key in PKCS#8 PEM ("openssl genpkey
// -algorithm ed25519") or in OpenSSH's format ("ssh-keygen -t ed25519").
func ParsePrivateKey(data []byte) (ed25519.PrivateKey, error) {
	key, err := ssh.ParseRawPrivateKey(data)
	var encrypted *ssh.PassphraseMissingError
	switch {
	case errors.As(err, &encrypted):
		return nil, errors.New("the private key is encrypted: a key without a passphrase is needed")
	case err != nil:
		return nil, errors.New("not a private key in PKCS#8 PEM or OpenSSH format")
	}
	switch key := key.(type) {
	case ed25519.PrivateKey:
		return key, nil
	case *ed25519.PrivateKey:
		return *key, nil
	}
	return nil, errors.New("the private key must be an ed25519 key")
}

// ParsePublicKey reads an ed25519 key in one of these formats: PKIX PEM ("openssl
// pkey -pubout"), a line of OpenSSH's .pub file, or minisign's public key with or
// without its comment line.
func ParsePublicKey(data []byte) (PublicKey, error) {
	if block, _ := pem.Decode(data); block != nil {
		key, err := x509.ParsePKIXPublicKey(block.Bytes)
		if err != nil {
			return PublicKey{}, fmt.Errorf("public key in PEM: %w", err)
		}
		return publicKeyOf(key)
	}
	if key, _, _, _, err := ssh.ParseAuthorizedKey(data); err == nil {
		if key, ok := key.(ssh.CryptoPublicKey); ok {
			return publicKeyOf(key.CryptoPublicKey())
		}
	}
	text := strings.TrimSpace(string(data))
	if strings.HasPrefix(text, untrustedComment) {
		_, text, _ = strings.Cut(text, "\n")
	}
	id, key, ok := decodeLine(strings.TrimSpace(text), publicKeyAlgorithm, ed25519.PublicKeySize)
	if !ok {
		return PublicKey{}, errors.New("not a public key in PEM, OpenSSH or minisign format")
	}
	return PublicKey{id, key}, nil
}

func publicKeyOf(key any) (PublicKey, error) {
	if key, ok := key.(ed25519.PublicKey); ok {
		return NewPublicKey(key), nil
	}
	return PublicKey{}, errors.New("the public key must be an ed25519 key")
}
