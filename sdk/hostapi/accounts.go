package hostapi

import "time"

// User is the identity behind the credentials of a request, as GET /api/user returns it.
type User struct {
	ID             int64    `json:"id"`
	Login          string   `json:"login"`
	Name           string   `json:"name"`
	Email          string   `json:"email"`
	AvatarURL      string   `json:"avatarUrl"`
	OrgID          int64    `json:"orgId"`
	Role           string   `json:"role"` // Viewer, Editor, Admin or None
	Kind           string   `json:"kind"` // user, serviceaccount or apikey; existing hosts do not send it
	Theme          string   `json:"theme"`
	IsGrafanaAdmin bool     `json:"isGrafanaAdmin"` // administers the host
	IsDisabled     bool     `json:"isDisabled"`
	IsExternal     bool     `json:"isExternal"`
	AuthLabels     []string `json:"authLabels"`
}

// IsAdmin reports whether the user administers the organization.
func (u User) IsAdmin() bool { return u.Role == "Admin" }

// Org is an organization.
type Org struct {
	ID      int64   `json:"id"`
	Name    string  `json:"name"`
	Address Address `json:"address"`
}

// Address is the postal address of an organization.
type Address struct {
	Address1 string `json:"address1"`
	Address2 string `json:"address2"`
	City     string `json:"city"`
	ZipCode  string `json:"zipCode"`
	State    string `json:"state"`
	Country  string `json:"country"`
}

// Session is a browser in which the caller is signed in.
type Session struct {
	ID        int64     `json:"id"`
	UserAgent string    `json:"userAgent"`
	Created   time.Time `json:"created"`
	SeenAt    time.Time `json:"seenAt"`
	Expires   time.Time `json:"expires"`
}

// Account is a service account.
type Account struct {
	ID         int64  `json:"id"`
	Name       string `json:"name"`
	Login      string `json:"login"`
	OrgID      int64  `json:"orgId"`
	IsDisabled bool   `json:"isDisabled"`
	Role       string `json:"role"`
	Tokens     int64  `json:"tokens"`
	AvatarURL  string `json:"avatarUrl"`
	IsExternal bool   `json:"isExternal,omitempty"` // belongs to a plugin
	RequiredBy string `json:"requiredBy,omitempty"` // the plugin
}

// AccountPage is a page of the service accounts that a search finds.
type AccountPage struct {
	TotalCount int64     `json:"totalCount"`
	Accounts   []Account `json:"serviceAccounts"`
	Page       int64     `json:"page"` // from 1
	PerPage    int64     `json:"perPage"`
}

// AccountToken is a token of a service account, without its secret.
type AccountToken struct {
	ID                     int64      `json:"id"`
	Name                   string     `json:"name"`
	Created                *time.Time `json:"created" jsonschema:"oneof_type=string;null"`
	Expiration             *time.Time `json:"expiration" jsonschema:"oneof_type=string;null"` // nil for never
	LastUsedAt             *time.Time `json:"lastUsedAt" jsonschema:"oneof_type=string;null"`
	SecondsUntilExpiration float64    `json:"secondsUntilExpiration"`
	HasExpired             bool       `json:"hasExpired"`
}

// APIKey is an API key, without its secret.
type APIKey struct {
	ID         int64      `json:"id"`
	Name       string     `json:"name"`
	Role       string     `json:"role"`
	Expiration *time.Time `json:"expiration,omitempty"` // nil for never
}

// HasExpired reports whether the key has expired.
func (k APIKey) HasExpired() bool { return k.Expiration != nil && !time.Now().Before(*k.Expiration) }

// NewKey is a new API key or token. No other response contains its secret.
type NewKey struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	Key  string `json:"key"` // the secret
}

// PluginRole is a role that a plugin defines.
type PluginRole struct {
	Name        string       `json:"name"`
	DisplayName string       `json:"displayName"`
	Description string       `json:"description"`
	PluginID    string       `json:"pluginId"`
	Permissions []Permission `json:"permissions"`
	GrantedTo   []string     `json:"grantedTo"`
}

// Permission is an action with the scope in which it may be performed.
type Permission struct {
	Action string `json:"action"`
	Scope  string `json:"scope,omitempty"`
}
