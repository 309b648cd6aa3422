package host

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"strings"
)

// TokenKind is the prefix of a token, which tells people and secret scanners what
// they have found.
type TokenKind string

// The kinds of token.
const (
	ServiceAccountToken TokenKind = "svcsa_"
	APIKeyToken         TokenKind = "svckey_"
)

const (
	secretLength   = 2 * 32 // 256 bits in hexadecimal
	checksumLength = 2 * crc32.Size
)

// Token is a bearer secret: its kind, 256 random bits in hexadecimal, "_" and the
// CRC-32 of all before it. Printing or logging one shows its kind only.
type Token struct{ text string }

// NewToken makes a token from 256 bits of random.
func NewToken(kind TokenKind, random io.Reader) (Token, error) {
	var secret [32]byte
	if _, err := io.ReadFull(random, secret[:]); err != nil {
		return Token{}, fmt.Errorf("make a token: %w", err)
	}
	body := string(kind) + hex.EncodeToString(secret[:])
	return Token{body + "_" + checksum(body)}, nil
}

// ParseToken refuses (ErrUnauthorized) a text that no NewToken made, most often a
// token that was cut or mistyped, without asking a database.
func ParseToken(text string) (Token, error) {
	bad := Unauthorized("invalid API key")
	at := len(text) - checksumLength - 1
	if at < 0 || text[at] != '_' {
		return Token{}, bad
	}
	body := text[:at]
	for _, kind := range []TokenKind{ServiceAccountToken, APIKeyToken} {
		secret, ok := strings.CutPrefix(body, string(kind))
		if ok && len(secret) == secretLength && isHex(secret) && text[at+1:] == checksum(body) {
			return Token{text}, nil
		}
	}
	return Token{}, bad
}

// Secret returns the text to show once to the token's owner.
func (t Token) Secret() string { return t.text }

// Digest returns the SHA-256 of the secret in hexadecimal, all that is stored. The
// secret is random, so a slow hash would add nothing.
func (t Token) Digest() string {
	sum := sha256.Sum256([]byte(t.text))
	return hex.EncodeToString(sum[:])
}

// String hides the secret.
func (t Token) String() string {
	kind, _, _ := strings.Cut(t.text, "_")
	return kind + "_***"
}

// GoString hides the secret.
func (t Token) GoString() string { return t.String() }

// LogValue hides the secret.
func (t Token) LogValue() slog.Value { return slog.StringValue(t.String()) }

func checksum(body string) string {
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(body)))
}

func isHex(text string) bool {
	for _, b := range []byte(text) {
		if (b < '0' || b > '9') && (b < 'a' || b > 'f') {
			return false
		}
	}
	return true
}
