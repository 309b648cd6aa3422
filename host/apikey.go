package host

import "time"

// APIKey is a deprecated credential with a role of its own.
type APIKey struct {
	ID      int64
	Name    string
	Role    Role
	Expires time.Time // zero: never
}

// Check returns an error (ErrInvalid) if the key breaks a rule.
func (k APIKey) Check() error {
	if err := checkName("name", k.Name); err != nil {
		return err
	}
	_, err := ParseRole(k.Role.String())
	return err
}

// MaxKeyLifetime is the maximum lifetime of an API key.
const MaxKeyLifetime = 30 * 24 * time.Hour

// ParseTTL parses the lifetime of an API key, which has the syntax of an interval.
func ParseTTL(field, text string) (time.Duration, error) {
	d, ok := parseSpan(text)
	if !ok {
		return 0, Invalid(field, "must be "+spanRule+", found %s", "7d", Quote(text))
	}
	if d > MaxKeyLifetime {
		return 0, Invalid(field, "must not be longer than 30 days (2592000 seconds)")
	}
	return d, nil
}

// KeyLifetime checks the lifetime of an API key in seconds. 0 means MaxKeyLifetime.
func KeyLifetime(field string, seconds int64) (time.Duration, error) {
	if seconds == 0 {
		return MaxKeyLifetime, nil
	}
	if seconds < 0 || seconds > int64(MaxKeyLifetime/time.Second) {
		return 0, Invalid(field, "must be from 0 to %d seconds (30 days)", int64(MaxKeyLifetime/time.Second))
	}
	return time.Duration(seconds) * time.Second, nil
}
