package host

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/bcrypt"
)

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

// unknownHash returns a hash of no known password, with the cost of other hashes.
func unknownHash() string {
	return fmt.Sprintf("$2a$%02d$iZxiXWM3KhG8eDv0NgZlSe.LPsgnl85wz5dIOHqArzBhUXChvKfFS", passwordCost)
}

// Credential is a login with a password, and where it was sent from.
type Credential struct {
	Login, Password, Network string
}

// Limits of logins.
const (
	failureWindow = 5 * time.Minute
	mostFailures  = 10      // of a login from one network within failureWindow; then it has to wait
	mostVerified  = 256     // credentials that Passwords remembers
	manyAttempts  = 1 << 10 // above which those that have been forgotten are deleted
)

// Passwords verifies the passwords that clients send. It computes the slow hash once per
// credential, and one hash at a time, to leave processors for other requests. Then it
// remembers an HMAC of the credential, under a key that never leaves the process, with
// the hash that it matched, so that a changed password no longer matches. A credential is
// remembered for its network only: elsewhere, guesses must not be fast.
//
// It limits the failures of a login from a network. They are forgotten as time passes, not by a
// successful login, and by a restart, which an attacker cannot cause.
type Passwords struct {
	key  [32]byte
	turn chan struct{}

	mu        sync.Mutex
	verified  map[digest]string     // the hash that a credential matched
	forgotten map[attempt]time.Time // when all failures are forgotten; each failure postpones it
}

// digest is the HMAC of a credential.
type digest [sha256.Size]byte

// attempt is a login from a network.
type attempt struct{ login, network string }

// NewPasswords returns a verifier.
func NewPasswords() *Passwords {
	p := &Passwords{turn: make(chan struct{}, 1), verified: map[digest]string{}, forgotten: map[attempt]time.Time{}}
	_, _ = rand.Read(p.key[:]) // never fails
	return p
}

// Verify reports whether a credential matches a stored hash. An empty hash, for an unknown
// login, takes as long as a wrong password. Verify returns an error (ErrThrottled) if the caller has
// to wait before another attempt, and that of ctx if it ends first.
func (p *Passwords) Verify(ctx context.Context, c Credential, hash string, now time.Time) (bool, error) {
	key := p.digest(c)
	if isKnown, err := p.recall(c, key, hash, now); isKnown || err != nil {
		return isKnown, err
	}
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	if isKnown, err := p.recall(c, key, hash, now); isKnown || err != nil { // another request may have been faster
		return isKnown, err
	}
	matches := IsPassword(c.Password, cmp.Or(hash, unknownHash())) && hash != ""
	p.note(c, key, hash, now, matches)
	return matches, nil
}

// recall reports whether a credential has matched the hash, unless its login has failed too often.
func (p *Passwords) recall(c Credential, key digest, hash string, now time.Time) (isKnown bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	const room = failureWindow - failureWindow/mostFailures // that leaves room for one more failure
	if wait := p.forgotten[attempt{c.Login, c.Network}].Add(-room).Sub(now); wait > 0 {
		return false, tooSoon(wait)
	}
	return hash != "" && p.verified[key] == hash, nil
}

// note remembers a credential that matched, or counts a failure.
func (p *Passwords) note(c Credential, key digest, hash string, now time.Time, matches bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if matches {
		if len(p.verified) >= mostVerified {
			clear(p.verified)
		}
		p.verified[key] = hash
		return
	}
	if len(p.forgotten) > manyAttempts { // each took the time of a comparison, so there are not many that count
		maps.DeleteFunc(p.forgotten, func(_ attempt, at time.Time) bool { return !at.After(now) })
	}
	of, from := attempt{c.Login, c.Network}, now
	if at := p.forgotten[of]; at.After(now) {
		from = at
	}
	p.forgotten[of] = from.Add(failureWindow / mostFailures)
}

func tooSoon(wait time.Duration) error {
	seconds := max(1, (wait+time.Second-1)/time.Second)
	unit := "seconds"
	if seconds == 1 {
		unit = "second"
	}
	return &Error{Category: ErrThrottled, ID: "login.throttled", Wait: seconds * time.Second,
		Message: fmt.Sprintf("too many failed logins; try again in %d %s", seconds, unit)}
}

func (p *Passwords) digest(c Credential) (sum digest) {
	mac := hmac.New(sha256.New, p.key[:])
	fmt.Fprintf(mac, "%d:%d:%s%s%s", len(c.Network), len(c.Login), c.Network, c.Login, c.Password)
	mac.Sum(sum[:0])
	return sum
}
