package host

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// ServiceAccount is an identity for a program, which authenticates with a token.
type ServiceAccount struct {
	ID         int64
	OrgID      int64
	Name       string
	Login      string // derived from the name, unique in the organization
	Role       Role
	IsDisabled bool
	Tokens     int64   // number of tokens, including expired ones
	PluginID   string  // the plugin that owns the account; "" if users created it
	Grants     []Grant // only accounts of plugins have grants
}

// Check returns an error (ErrInvalid) if users may not create such an account.
func (a ServiceAccount) Check() error {
	if err := checkName("name", a.Name); err != nil {
		return err
	}
	if strings.HasPrefix(Fold(a.Name), Fold(pluginPrefix)) {
		return Invalid("name", "must not start with %s, which is reserved for plugins", pluginPrefix)
	}
	_, err := ParseRole(a.Role.String())
	return err
}

// EditableBy returns an error (ErrForbidden) if an identity may not change the account.
// A caller may not change an account whose role is above their own, nor the account of a
// plugin, except as RevocableBy allows.
func (a ServiceAccount) EditableBy(who Identity) error {
	if a.PluginID != "" {
		return &Error{Category: ErrForbidden, ID: "serviceaccounts.plugin",
			Message: "Permission denied: the service account is defined by the plugin.json of " + a.PluginID}
	}
	return who.MayGive(a.Role)
}

// RevocableBy returns an error (ErrForbidden) if an identity may not delete, disable or
// enable the account, or delete its tokens. Only administrators
// may do so to the account of a plugin: its role is None, so every plugin's own power
// would suffice.
func (a ServiceAccount) RevocableBy(who Identity) error {
	if a.PluginID == "" {
		return a.EditableBy(who)
	}
	if who.Role < RoleAdmin {
		return &Error{Category: ErrForbidden, ID: "serviceaccounts.plugin",
			Message: "Permission denied: only an administrator may revoke the service account of " + a.PluginID}
	}
	return nil
}

// Prefixes of logins.
const (
	accountPrefix = "sa-"
	pluginPrefix  = "extsvc-"
)

// AccountLogin derives the login of a service account from its name. Several names can
// have the same login; the store adds a number.
func AccountLogin(name string) string { return accountPrefix + slugOrHash(name) }

// AccountNameOfKey returns the name of the account that an API key is migrated to: the
// name of the key, shortened if necessary, with the suffix -n if n is above 1.
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

// PluginLogin derives the login of a plugin's service account, which is also its name.
func PluginLogin(pluginID string) string { return pluginPrefix + slugOrHash(pluginID) }

// slugOrHash returns the slug of a name, or a hash if the name has no letters or digits.
func slugOrHash(name string) string {
	if s := Slug(name); s != "" {
		return s
	}
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:4])
}

// AccountToken is the token of a service account without its secret.
type AccountToken struct {
	ID       int64
	Name     string
	Created  time.Time
	Expires  time.Time // zero: never
	LastUsed time.Time // zero: never
}

// Check returns an error (ErrInvalid) if the token breaks a rule.
func (t AccountToken) Check() error { return checkName("name", t.Name) }

// maxTokenSeconds is the maximum lifetime of a service account token, a hundred years.
const maxTokenSeconds int64 = 100 * 365 * 24 * 60 * 60

// TokenLifetime checks the lifetime of a service account token in seconds. 0 means that
// the token does not expire.
func TokenLifetime(field string, seconds int64) (time.Duration, error) {
	if seconds < 0 || seconds > maxTokenSeconds {
		return 0, Invalid(field, "must be from 0 to %d seconds", maxTokenSeconds)
	}
	return time.Duration(seconds) * time.Second, nil
}

// KeepExpired is how long expired API keys and tokens stay in lists before the host
// deletes them.
const KeepExpired = 30 * 24 * time.Hour

// A host leases the tokens that it issues itself, to plugins and for development: it
// extends them at every LeaseRenewal, so that they expire LeaseLifetime after it ends.
const (
	LeaseLifetime = 24 * time.Hour
	LeaseRenewal  = time.Hour
)
