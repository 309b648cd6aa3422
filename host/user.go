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

// AdminLogin is the login of the user that exists from the first start.
const AdminLogin = "admin"

// User is a person, who signs in with a password.
type User struct {
	ID           int64
	OrgID        int64
	Login        string
	Role         Role
	IsDisabled   bool
	PasswordHash string

	IsServiceAdmin bool // administers the service, beyond the organisation
}

// Check refuses (ErrInvalid) a user that breaks a rule.
func (u User) Check() error {
	if err := checkName("login", u.Login); err != nil {
		return err
	}
	_, err := ParseRole(u.Role.String())
	return err
}

// Identity returns who the user is once the password was right.
func (u User) Identity() Identity {
	return Identity{Kind: KindUser, ID: u.ID, OrgID: u.OrgID, Login: u.Login, Role: u.Role, IsServiceAdmin: u.IsServiceAdmin}
}

const (
	passwordCost = 10  // of bcrypt: about 50 ms, little memory
	mostVerified = 256 // credentials remembered by Passwords

	// nobodysHash is the hash of a random password that nobody kept.
	nobodysHash = "$2a$10$iZxiXWM3KhG8eDv0NgZlSe.LPsgnl85wz5dIOHqArzBhUXChvKfFS"
)

// HashPassword returns the bcrypt hash to store for a password of any length.
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

// digestPassword brings a password within the 72 bytes that bcrypt looks at.
func digestPassword(password string) []byte {
	sum := sha256.Sum256([]byte(password))
	return base64.RawStdEncoding.AppendEncode(nil, sum[:])
}

// Passwords verifies passwords. The slow hash is computed once per credential:
// after that an HMAC of it, under a key that never leaves the process, is
// remembered with the hash it matched, so a changed password forgets itself. At
// most one hash is computed at a time, which leaves the other processors to the
// requests that are already signed in.
type Passwords struct {
	key  [32]byte
	turn chan struct{}

	mu       sync.Mutex
	verified map[[sha256.Size]byte]string // HMAC of login and password -> the hash it matched
}

// NewPasswords returns a verifier whose key comes from random.
func NewPasswords(random io.Reader) (*Passwords, error) {
	p := &Passwords{turn: make(chan struct{}, 1), verified: make(map[[sha256.Size]byte]string)}
	if _, err := io.ReadFull(random, p.key[:]); err != nil {
		return nil, fmt.Errorf("make the key of the password cache: %w", err)
	}
	return p, nil
}

// Match reports whether the password belongs to the stored hash. An empty hash
// (an unknown login) takes as long as a wrong password. allow is asked before the
// slow hash is computed, one caller at a time. The errors are those of allow, and
// of ctx while waiting for a turn.
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
	if p.isVerified(key, hash) { // by the one that had the turn before
		return true, nil
	}
	if err := allow(); err != nil {
		return false, err
	}
	if hash == "" {
		_ = bcrypt.CompareHashAndPassword([]byte(nobodysHash), digestPassword(password))
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
