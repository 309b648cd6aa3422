package host

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// ServiceAccount is an identity for a program. It has no password; it signs in
// with its tokens.
type ServiceAccount struct {
	ID         int64
	OrgID      int64
	Name       string
	Login      string // derived from the name, unique in the organisation
	Role       Role
	IsDisabled bool
	Tokens     int64   // how many it has, expired ones included
	PluginID   string  // the plugin it belongs to; "" for one that people made
	Grants     []Grant // only a plugin's account has some
}

// Check refuses (ErrInvalid) an account of people that breaks a rule.
func (a ServiceAccount) Check() error {
	if err := checkName("name", a.Name); err != nil {
		return err
	}
	if strings.HasPrefix(Fold(a.Name), Fold(pluginPrefix)) {
		return Invalid("name", "the prefix %s is kept for the accounts of plugins", pluginPrefix)
	}
	_, err := ParseRole(a.Role.String())
	return err
}

// EditableBy refuses (ErrForbidden) a change by somebody: nobody changes the
// account of a plugin, nor one whose role is above their own.
func (a ServiceAccount) EditableBy(who Identity) error {
	if a.PluginID != "" {
		return &Error{Category: ErrForbidden, ID: "serviceaccounts.plugin",
			Message: "Permission denied: this service account belongs to the plugin " + a.PluginID + ", whose plugin.json decides it"}
	}
	return who.MayGive(a.Role)
}

// The prefixes of logins. A login of people is never one of a plugin.
const (
	accountPrefix = "sa-"
	pluginPrefix  = "extsvc-"
)

// AccountLogin derives the login of a service account from its name. Two names
// can have one login; the store numbers the second.
func AccountLogin(name string) string { return accountPrefix + slugOrHash(name) }

// AccountNameOfKey returns the name of the account that an API key becomes: its own,
// with a number from 2 on, cut to the length of a name.
func AccountNameOfKey(key string, n int) string {
	if strings.HasPrefix(Fold(key), Fold(pluginPrefix)) {
		key = "key-" + key
	}
	suffix := ""
	if n > 1 {
		suffix = "-" + strconv.Itoa(n)
	}
	runes := []rune(key)
	return string(runes[:min(len(runes), MaxNameLength-len(suffix))]) + suffix
}

// PluginLogin derives the login, which is also the name, of a plugin's own service
// account.
func PluginLogin(pluginID string) string { return pluginPrefix + slugOrHash(pluginID) }

// slugOrHash gives a name without any letter or digit a login too.
func slugOrHash(name string) string {
	if s := slug(name); s != "" {
		return s
	}
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:4])
}

// PluginAccess is what a plugin received: the secret of this start, and what it
// may do with it.
type PluginAccess struct {
	Token  Token
	Login  string
	Grants []Grant
}

// APIKey is the deprecated credential that carries a role of its own.
type APIKey struct {
	ID      int64
	Name    string
	Role    Role
	Expires time.Time // zero: never
}

// Check refuses (ErrInvalid) a key that breaks a rule.
func (k APIKey) Check() error {
	if err := checkName("name", k.Name); err != nil {
		return err
	}
	_, err := ParseRole(k.Role.String())
	return err
}

// AccountToken is what is known of a service account's token after it was shown
// to its owner once.
type AccountToken struct {
	ID       int64
	Name     string
	Created  time.Time
	Expires  time.Time // zero: never
	LastUsed time.Time // zero: never
}

// Check refuses (ErrInvalid) a token that breaks a rule.
func (t AccountToken) Check() error { return checkName("name", t.Name) }

// HasExpired reports whether a credential that expires at the given time (zero:
// never) is over.
func HasExpired(expires, now time.Time) bool { return !expires.IsZero() && !now.Before(expires) }
