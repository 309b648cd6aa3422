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

// ErrEncryptedKey is the error for a private key with a passphrase.
var ErrEncryptedKey = errors.New("the private key is encrypted: use a key without a passphrase, " +
	"or remove the passphrase from a copy of the key: ssh-keygen -p -N '' -f COPY")

// ParsePrivateKey reads an unencrypted ed25519 key in PKCS#8 PEM ("openssl genpkey
// -algorithm ed25519") or in OpenSSH's format ("ssh-keygen -t ed25519").
func ParsePrivateKey(data []byte) (ed25519.PrivateKey, error) {
	block, _ := pem.Decode(data)
	switch {
	case block == nil || block.Type == "PUBLIC KEY":
		if _, err := ParsePublicKey(data); err == nil {
			return nil, errors.New("a public key: choose the private key that belongs to it")
		}
		return nil, errors.New("not a private key in PKCS#8 PEM or OpenSSH format")
	case block.Type == "ENCRYPTED PRIVATE KEY" || block.Headers["DEK-Info"] != "":
		return nil, ErrEncryptedKey
	case block.Type == "OPENSSH PRIVATE KEY":
		return parseOpenSSHPrivateKey(data)
	case block.Type != "PRIVATE KEY":
		return nil, fmt.Errorf("the private key must be an ed25519 key in PKCS#8 PEM or OpenSSH format, found %q", block.Type)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("private key in PEM: %w", err)
	}
	if key, ok := key.(ed25519.PrivateKey); ok {
		return key, nil
	}
	return nil, errNotEd25519
}

// ParsePublicKeys reads public keys: one in PEM, or one per line in the formats of
// OpenSSH and minisign. Blank lines and lines that begin with "#" or "untrusted
// comment: " are skipped.
func ParsePublicKeys(data []byte) ([]PublicKey, error) {
	if block, _ := pem.Decode(data); block != nil {
		key, err := ParsePublicKey(data)
		return []PublicKey{key}, err
	}
	var keys []PublicKey
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, strings.TrimSpace(untrustedComment)) {
			continue
		}
		key, err := ParsePublicKey([]byte(line))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, errors.New("no public key found")
	}
	return keys, nil
}

// ParsePublicKey reads an ed25519 key in one of these formats: PKIX PEM ("openssl
// pkey -pubout"), a line of OpenSSH's .pub file, or minisign's public key with or
// without its comment line.
func ParsePublicKey(data []byte) (PublicKey, error) {
	if block, _ := pem.Decode(data); block != nil {
		if strings.HasSuffix(block.Type, "PRIVATE KEY") {
			return PublicKey{}, errors.New("a private key: choose the public key that belongs to it")
		}
		key, err := x509.ParsePKIXPublicKey(block.Bytes)
		if err != nil {
			return PublicKey{}, fmt.Errorf("public key in PEM: %w", err)
		}
		if key, ok := key.(ed25519.PublicKey); ok {
			return NewPublicKey(key), nil
		}
		return PublicKey{}, errNotEd25519
	}
	text := strings.TrimSpace(string(data))
	if strings.HasPrefix(text, untrustedComment) {
		_, text, _ = strings.Cut(text, "\n")
	}
	if key, isOpenSSH, err := parseOpenSSHPublicKey(text); isOpenSSH {
		return NewPublicKey(key), err
	}
	id, key, ok := decodeLine(strings.TrimSpace(text), publicKeyAlgorithm, ed25519.PublicKeySize)
	if !ok {
		return PublicKey{}, errors.New("not a public key in PEM, OpenSSH or minisign format")
	}
	return PublicKey{id, key}, nil
}

var errNotEd25519 = errors.New("the key must be an ed25519 key")
