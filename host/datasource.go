package host

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/host/gate"
)

// The uids of data sources that every host has, which no other one may have.
const (
	BuiltinUID       = "grafana"
	ExpressionUID    = "__expr__"
	OldExpressionUID = "-100" // in old dashboards
)

// DataSource is one configured instance of a data source plugin.
type DataSource struct {
	ID            int64
	OrgID         int64
	UID           string // assigned by the store if empty
	Name          string // unique in the organization
	Type          string // the id of its plugin
	URL           string
	User          string
	Database      string
	BasicAuth     bool
	BasicAuthUser string
	IsDefault     bool            // true for at most one data source
	JSON          json.RawMessage // jsonData, an object
	Version       int64           // starts at 1 and grows with each change
	Updated       time.Time

	SecretNames []string          // sorted
	Secrets     map[string]string // decrypted; set only in changes and when requested

	// Origins returns the origins to which the routes of the plugin send secrets with the
	// settings of a data source. It is set only in changes; nil for a plugin without routes.
	Origins func(DataSource) []string
}

// AppSettings are the settings of an app plugin.
type AppSettings struct {
	PluginID  string
	IsEnabled bool
	IsPinned  bool
	JSON      json.RawMessage // jsonData, an object
	Updated   time.Time       // zero if nothing is stored

	SecretNames []string          // sorted
	Secrets     map[string]string // decrypted; set only in changes and when requested

	Origins func(AppSettings) []string // like DataSource.Origins
}

const (
	maxURL      = 2048    // bytes
	maxSettings = 1 << 19 // bytes of jsonData
	maxSecret   = 1 << 16 // bytes
)

// Check returns an error (ErrInvalid) if the data source breaks a rule.
func (d DataSource) Check() error {
	if err := checkName("name", d.Name); err != nil {
		return err
	}
	if err := checkName("type", d.Type); err != nil {
		return err
	}
	if d.UID != "" && !IsUID(d.UID) {
		return Invalid("uid", UIDRule, Quote(d.UID))
	}
	if slices.Contains([]string{BuiltinUID, ExpressionUID, OldExpressionUID}, d.UID) {
		return Invalid("uid", "is reserved for a built-in data source: %s", Quote(d.UID))
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

// checkAddress accepts a URL or, as for databases, a host and a port. It rejects
// credentials, since everyone who may read data sources can read the address.
func checkAddress(address string) error {
	parsed := address
	if !strings.Contains(address, "://") {
		parsed = "//" + address
	}
	u, err := url.Parse(parsed)
	switch {
	case len(address) > maxURL:
		return Invalid("url", "must not be longer than %d bytes", maxURL)
	case strings.Contains(address, "@") && (err != nil || u.User != nil):
		return Invalid("url", "must not contain credentials; use user, and secureJsonData for the password")
	case err != nil:
		return Invalid("url", "must be an address such as https://host/path or host:port")
	}
	return checkControl("url", address)
}

// Check returns an error (ErrInvalid) if the settings break a rule.
func (a AppSettings) Check() error { return checkSettings(a.JSON, a.Secrets) }

func checkSettings(visible json.RawMessage, secrets map[string]string) error {
	if len(visible) > maxSettings {
		return Invalid("jsonData", "must not be longer than %d bytes", maxSettings)
	}
	if len(secrets) > gate.MaxSecrets {
		return Invalid("secureJsonData", "must not have more than %d keys, found %d", gate.MaxSecrets, len(secrets))
	}
	for name, value := range secrets {
		if err := checkName("secureJsonData", name); err != nil {
			return err
		}
		if len(value) > maxSecret || !utf8.ValidString(value) {
			return Invalid("secureJsonData."+name, "must be valid UTF-8 of at most %d bytes", maxSecret)
		}
	}
	return nil
}
