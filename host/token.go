package host

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"log/slog"
	"regexp"
	"strings"
	"time"
)

// TokenKind is the prefix of a token, by which people and secret scanners recognize it.
type TokenKind string

// Kinds of tokens.
const (
	ServiceAccountToken TokenKind = "svcsa_"
	APIKeyToken         TokenKind = "svckey_"
	SessionToken        TokenKind = "svcses_" // in the cookie of a browser; not a bearer token
)

const (
	secretLength   = 2 * 32 // 256 bits in hexadecimal
	checksumLength = 2 * crc32.Size
)

// Token is a bearer token: its kind, 256 random bits in hexadecimal, "_" and a CRC-32.
// Printing or logging a Token shows only its kind.
type Token struct{ text string }

// NewToken returns a new token.
func NewToken(kind TokenKind) Token {
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // never fails
	body := string(kind) + hex.EncodeToString(secret[:])
	return Token{body + "_" + checksum(body)}
}

// ParseToken parses a token. It detects tokens that are incomplete or mistyped, with
// ErrUnauthorized, without accessing the database.
func ParseToken(text string) (Token, error) {
	return parseToken(text, ServiceAccountToken, APIKeyToken)
}

func parseToken(text string, kinds ...TokenKind) (Token, error) {
	if at := len(text) - checksumLength - 1; at >= 0 && text[at] == '_' {
		body := text[:at]
		for _, kind := range kinds {
			secret, ok := strings.CutPrefix(body, string(kind))
			if ok && len(secret) == secretLength && strings.Trim(secret, "0123456789abcdef") == "" && text[at+1:] == checksum(body) {
				return Token{text}, nil
			}
		}
	}
	return Token{}, Unauthorized("invalid API key: it is incomplete, or not a key of this service")
}

var anyToken = regexp.MustCompile(fmt.Sprintf("(?:%s|%s|%s)[0-9a-f]{%d}_[0-9a-f]{%d}",
	ServiceAccountToken, APIKeyToken, SessionToken, secretLength, checksumLength))

// ContainsToken reports whether a string contains a token or the token of a session.
func ContainsToken(text string) bool { return anyToken.MatchString(text) }

// Secret returns the token as text.
func (t Token) Secret() string { return t.text }

// Digest returns the SHA-256 of the token in hexadecimal, which is stored in its place.
// The token is random, so a slow hash would add nothing.
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

// HasExpired reports whether a credential has expired. A zero expiry means never.
func HasExpired(expires, now time.Time) bool { return !expires.IsZero() && !now.Before(expires) }
