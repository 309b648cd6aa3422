package host

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// KeyLength is the length of the key that encrypts secrets, in bytes.
const KeyLength = 32

// ParseKey parses a key for secrets in hexadecimal.
func ParseKey(text string) ([]byte, error) {
	key, err := hex.DecodeString(strings.TrimSpace(text))
	if err != nil || len(key) != KeyLength {
		return nil, fmt.Errorf("the key for secrets must be %d hexadecimal digits; generate one with: openssl rand -hex %d", 2*KeyLength, KeyLength)
	}
	return key, nil
}

// Box encrypts secrets with AES-256-GCM, each for one purpose, for which alone it can be opened.
type Box struct{ aead cipher.AEAD }

// NewBox returns a Box for a key of KeyLength bytes.
func NewBox(key []byte) (*Box, error) {
	if len(key) != KeyLength {
		return nil, fmt.Errorf("the key for secrets must have %d bytes, found %d", KeyLength, len(key))
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return &Box{aead}, nil
}

// Seal encrypts text and returns the nonce and the ciphertext in base64.
func (b *Box) Seal(text, purpose string) string {
	return base64.StdEncoding.EncodeToString(b.aead.Seal(nil, nil, []byte(text), []byte(purpose)))
}

// ErrSealed reports a secret that was sealed with another key or for another purpose.
var ErrSealed = errors.New("encrypted with another key")

// Open decrypts the result of Seal.
func (b *Box) Open(sealed, purpose string) (string, error) {
	raw, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil {
		return "", ErrSealed
	}
	text, err := b.aead.Open(nil, nil, raw, []byte(purpose))
	if err != nil {
		return "", ErrSealed
	}
	return string(text), nil
}
