package host

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

// KeyLength is the length of a key for secrets, in bytes.
const KeyLength = 32

// ParseKey reads a key for secrets, which is written in hexadecimal.
func ParseKey(text string) ([]byte, error) {
	key, err := hex.DecodeString(strings.TrimSpace(text))
	if err != nil || len(key) != KeyLength {
		return nil, fmt.Errorf("the key for secrets is not %d hexadecimal digits; make one with: openssl rand -hex %d", 2*KeyLength, KeyLength)
	}
	return key, nil
}

// Box encrypts secrets with AES-256-GCM. What it sealed for one purpose opens for no
// other.
type Box struct {
	aead   cipher.AEAD
	random io.Reader
}

// NewBox returns the box of a key of KeyLength bytes. random is where nonces come
// from.
func NewBox(key []byte, random io.Reader) (*Box, error) {
	if len(key) != KeyLength {
		return nil, fmt.Errorf("a key for secrets has %d bytes, not %d", KeyLength, len(key))
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	return &Box{aead, random}, nil
}

// Seal encrypts a text: base64 of a nonce and the sealed text.
func (b *Box) Seal(text, purpose string) (string, error) {
	nonce := make([]byte, b.aead.NonceSize())
	if _, err := io.ReadFull(b.random, nonce); err != nil {
		return "", fmt.Errorf("encrypt a secret: %w", err)
	}
	return base64.StdEncoding.EncodeToString(b.aead.Seal(nonce, nonce, []byte(text), []byte(purpose))), nil
}

// ErrSealed is the error for what another key or another purpose sealed.
var ErrSealed = errors.New("it was encrypted with another key")

// Open decrypts what Seal returned.
func (b *Box) Open(sealed, purpose string) (string, error) {
	raw, err := base64.StdEncoding.DecodeString(sealed)
	size := b.aead.NonceSize()
	if err != nil || len(raw) < size {
		return "", ErrSealed
	}
	text, err := b.aead.Open(nil, raw[:size], raw[size:], []byte(purpose))
	if err != nil {
		return "", ErrSealed
	}
	return string(text), nil
}
