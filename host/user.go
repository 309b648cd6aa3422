package host

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"sync"
	"unicode/utf8"

	"golang.org/x/crypto/bcrypt"
	"golang.org/x/sync/singleflight"
)

// AdminLogin is the login of the user that the first start creates.
const AdminLogin = "admin"

// User is a person who authenticates with a password.
type User struct {
	ID           int64
	OrgID        int64
	Login        string
	Role         Role
	IsDisabled   bool
	PasswordHash string

	IsServiceAdmin bool // administers the host, not only the organization
}

// Identity returns the identity of the authenticated user.
func (u User) Identity() Identity {
	return Identity{Kind: KindUser, ID: u.ID, OrgID: u.OrgID, Login: u.Login, Role: u.Role, IsServiceAdmin: u.IsServiceAdmin}
}

const mostVerified = 256 // credentials that Passwords remembers

// unknownHash returns a hash of no known password, with the cost of other hashes.
func unknownHash() string {
	return fmt.Sprintf("$2a$%02d$iZxiXWM3KhG8eDv0NgZlSe.LPsgnl85wz5dIOHqArzBhUXChvKfFS", passwordCost)
}

// Limits of the length of a new password.
const (
	MinPasswordLength = 12  // characters
	MaxPasswordLength = 512 // bytes; with a login, it fits the credentials that the host reads
)

// CheckPassword returns an error (ErrInvalid) if a new password is too short or too
// long, or if it is not valid UTF-8, which clients cannot send.
func CheckPassword(password string) error {
	switch n := utf8.RuneCountInString(password); {
	case password == "":
		return Invalid("password", "is required")
	case !utf8.ValidString(password):
		return Invalid("password", "must be valid UTF-8")
	case n < MinPasswordLength:
		return Invalid("password", "must have at least %d characters, found %d", MinPasswordLength, n)
	case len(password) > MaxPasswordLength:
		return Invalid("password", "must not be longer than %d bytes, found %d", MaxPasswordLength, len(password))
	}
	return nil
}

// HashPassword returns the bcrypt hash of a password that CheckPassword accepts.
func HashPassword(password string) (string, error) {
	if err := CheckPassword(password); err != nil {
		return "", err
	}
	hash, err := bcrypt.GenerateFromPassword(digestPassword(password), passwordCost)
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}
	return string(hash), nil
}

// IsPassword reports whether a hash is that of a password. It is slow, and does not limit
// who waits for it: use Passwords for what clients send.
func IsPassword(password, hash string) bool {
	return bcrypt.CompareHashAndPassword([]byte(hash), digestPassword(password)) == nil
}

// digestPassword shortens a password to the 72 bytes that bcrypt reads.
func digestPassword(password string) []byte {
	sum := sha256.Sum256([]byte(password))
	return base64.RawStdEncoding.AppendEncode(nil, sum[:])
}

// Credential is a login with a password, and where it was sent from.
type Credential struct {
	Login, Password, Network string
}

// Passwords verifies passwords. It computes the slow hash once per credential. Then it
// remembers an HMAC of the credential, under a key that never leaves the process, with
// the hash that it matched, so that a changed password no longer matches. A credential is
// remembered for its network only: elsewhere, guesses must not be fast. Passwords computes
// at most one hash at a time, to leave processors for other requests.
type Passwords struct {
	key     [32]byte
	turn    chan struct{}
	flights singleflight.Group

	mu       sync.Mutex
	verified map[digest]string // the hash that a credential matched
}

// digest is the HMAC of a credential.
type digest [sha256.Size]byte

// NewPasswords returns a verifier. Its key is read from random.
func NewPasswords(random io.Reader) (*Passwords, error) {
	p := &Passwords{turn: make(chan struct{}, 1), verified: make(map[digest]string)}
	if _, err := io.ReadFull(random, p.key[:]); err != nil {
		return nil, fmt.Errorf("generate the key of the password cache: %w", err)
	}
	return p, nil
}

// IsVerified reports whether Match has found that a credential matches the hash. It does
// not compute the slow hash.
func (p *Passwords) IsVerified(c Credential, hash string) bool { return p.remembers(p.digest(c), hash) }

func (p *Passwords) remembers(key digest, hash string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return hash != "" && p.verified[key] == hash
}

// Match reports whether a credential matches a stored hash. An empty hash, for an unknown
// login, takes as long as a wrong password. Concurrent calls with equal arguments share
// one computation. Match calls admit before each computation and returns its error; it
// calls done with the result afterward. It returns the error of ctx if that ends first.
func (p *Passwords) Match(ctx context.Context, c Credential, hash string, admit func() (done func(matches bool), err error)) (bool, error) {
	key := p.digest(c)
	flight := p.flights.DoChan(string(key[:])+hash, func() (any, error) {
		done, err := admit()
		if err != nil {
			return false, err
		}
		matches := p.remembers(key, hash) || p.compute(c.Password, hash)
		if matches {
			p.remember(key, hash)
		}
		done(matches)
		return matches, nil
	})
	select {
	case result := <-flight:
		return result.Val.(bool), result.Err
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// compute compares a password with a hash, one caller at a time.
func (p *Passwords) compute(password, hash string) bool {
	p.turn <- struct{}{}
	defer func() { <-p.turn }()
	return IsPassword(password, cmp.Or(hash, unknownHash())) && hash != ""
}

func (p *Passwords) remember(key digest, hash string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.verified) >= mostVerified {
		clear(p.verified)
	}
	p.verified[key] = hash
}

func (p *Passwords) digest(c Credential) (sum digest) {
	mac := hmac.New(sha256.New, p.key[:])
	fmt.Fprintf(mac, "%d:%d:%s%s%s", len(c.Network), len(c.Login), c.Network, c.Login, c.Password)
	mac.Sum(sum[:0])
	return sum
}
