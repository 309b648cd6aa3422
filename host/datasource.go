package host

import (
	"encoding/json"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"
)

// DataSource is one configured instance of a data source plugin.
type DataSource struct {
	ID            int64
	OrgID         int64
	UID           string // assigned by the store if empty
	Name          string // unique in the organisation
	Type          string // the id of its plugin
	URL           string
	User          string
	Database      string
	BasicAuth     bool
	BasicAuthUser string
	IsDefault     bool            // at most one is
	JSON          json.RawMessage // visible settings, an object
	Version       int64           // counts the changes, from 1
	Updated       time.Time

	SecretNames []string          // sorted
	Secrets     map[string]string // decrypted; only where they were asked for
}

// AppSettings is what an administrator entered for an app plugin.
type AppSettings struct {
	PluginID  string
	IsEnabled bool
	IsPinned  bool
	JSON      json.RawMessage // visible settings, an object
	Updated   time.Time       // zero if nobody entered any

	SecretNames []string          // sorted
	Secrets     map[string]string // decrypted; only where they were asked for
}

const (
	maxURL      = 2048    // bytes
	maxSettings = 1 << 19 // bytes of visible settings
	maxSecrets  = 100
	maxSecret   = 1 << 16 // bytes
)

// Check refuses (ErrInvalid) a data source that breaks a rule.
func (d DataSource) Check() error {
	if err := checkName("name", d.Name); err != nil {
		return err
	}
	if err := checkName("type", d.Type); err != nil {
		return err
	}
	if d.UID != "" && !IsUID(d.UID) {
		return Invalid("uid", "%s is not 1 to 40 letters, digits, - and _", quote(d.UID))
	}
	for _, text := range [][2]string{{"user", d.User}, {"database", d.Database}, {"basicAuthUser", d.BasicAuthUser}} {
		if err := checkText(text[0], text[1]); err != nil {
			return err
		}
	}
	if err := checkAddress(d.URL); err != nil {
		return err
	}
	return checkSettings(d.JSON, d.Secrets)
}

// checkAddress refuses what is neither a URL nor, as databases have, a host and a
// port. Everybody who may read data sources reads it.
func checkAddress(address string) error {
	parsed := address
	if !strings.Contains(address, "://") {
		parsed = "//" + address
	}
	u, err := url.Parse(parsed)
	switch {
	case len(address) > maxURL:
		return Invalid("url", "has more than %d bytes", maxURL)
	case strings.Contains(address, "@") && (err != nil || u.User != nil):
		return Invalid("url", "must not hold a login: send user, and the password in secureJsonData")
	case err != nil:
		return Invalid("url", "is not an address such as https://host/path or host:port")
	}
	return checkControl("url", address)
}

// Check refuses (ErrInvalid) settings that break a rule.
func (a AppSettings) Check() error { return checkSettings(a.JSON, a.Secrets) }

func checkSettings(visible json.RawMessage, secrets map[string]string) error {
	if len(visible) > maxSettings {
		return Invalid("jsonData", "has more than %d bytes", maxSettings)
	}
	if len(secrets) > maxSecrets {
		return Invalid("secureJsonData", "has %d secrets, at most %d are allowed", len(secrets), maxSecrets)
	}
	for name, value := range secrets {
		if err := checkName("secureJsonData", name); err != nil {
			return err
		}
		if len(value) > maxSecret || !utf8.ValidString(value) {
			return Invalid("secureJsonData."+name, "is not a text of at most %d bytes", maxSecret)
		}
	}
	return nil
}
