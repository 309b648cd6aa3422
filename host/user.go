package host

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"sync"

	"golang.org/x/crypto/bcrypt"
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

const (
	passwordCost = 10  // of bcrypt, about 50 ms
	mostVerified = 256 // credentials that Passwords remembers

	// unknownHash is the hash of a random password that was discarded.
	unknownHash = "$2a$10$iZxiXWM3KhG8eDv0NgZlSe.LPsgnl85wz5dIOHqArzBhUXChvKfFS"
)

// HashPassword returns the bcrypt hash of a password of any length.
func HashPassword(password string) (string, error) {
	if password == "" {
		return "", Invalid("password", "is required")
	}
	hash, err := bcrypt.GenerateFromPassword(digestPassword(password), passwordCost)
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}
	return string(hash), nil
}

// digestPassword shortens a password to the 72 bytes that bcrypt reads.
func digestPassword(password string) []byte {
	sum := sha256.Sum256([]byte(password))
	return base64.RawStdEncoding.AppendEncode(nil, sum[:])
}

// Passwords verifies passwords. It computes the slow hash once per credential. Then it
// remembers an HMAC of the credential, under a key that never leaves the process, with
// the hash that it matched, so that a changed password no longer matches. It computes at
// most one hash at a time, to leave processors to other requests.
type Passwords struct {
	key  [32]byte
	turn chan struct{}

	mu       sync.Mutex
	verified map[[sha256.Size]byte]string // from HMAC to hash
}

// NewPasswords returns a verifier. Its key is read from random.
func NewPasswords(random io.Reader) (*Passwords, error) {
	p := &Passwords{turn: make(chan struct{}, 1), verified: make(map[[sha256.Size]byte]string)}
	if _, err := io.ReadFull(random, p.key[:]); err != nil {
		return nil, fmt.Errorf("generate the key of the password cache: %w", err)
	}
	return p, nil
}

// Match reports whether a password matches a stored hash. An empty hash, for an unknown
// login, takes as long as a wrong password. Match calls allow before it computes the slow
// hash, for one caller at a time, and returns its error. It also returns the error of ctx
// if ctx ends before it is the caller's turn.
func (p *Passwords) Match(ctx context.Context, login, password, hash string, allow func() error) (bool, error) {
	key := p.credential(login, password)
	if p.isVerified(key, hash) {
		return true, nil
	}
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	if p.isVerified(key, hash) { // by the previous caller
		return true, nil
	}
	if err := allow(); err != nil {
		return false, err
	}
	if hash == "" {
		_ = bcrypt.CompareHashAndPassword([]byte(unknownHash), digestPassword(password))
		return false, nil
	}
	if bcrypt.CompareHashAndPassword([]byte(hash), digestPassword(password)) != nil {
		return false, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.verified) >= mostVerified {
		clear(p.verified)
	}
	p.verified[key] = hash
	return true, nil
}

func (p *Passwords) isVerified(key [sha256.Size]byte, hash string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return hash != "" && p.verified[key] == hash
}

func (p *Passwords) credential(login, password string) (sum [sha256.Size]byte) {
	mac := hmac.New(sha256.New, p.key[:])
	fmt.Fprintf(mac, "%d:%s%s", len(login), login, password)
	mac.Sum(sum[:0])
	return sum
}
