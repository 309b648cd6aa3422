package httpclient

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/sdk"
)

// settings are the settings of the connection that the editor of a data source writes.
type settings struct {
	Timeout       seconds `json:"timeout"`
	OAuthPassThru bool    `json:"oauthPassThru"`
}

// tlsSettings are the part of them that TLSFromDataSource reads.
type tlsSettings struct {
	TLSAuth           bool   `json:"tlsAuth"`
	TLSAuthWithCACert bool   `json:"tlsAuthWithCACert"`
	TLSSkipVerify     bool   `json:"tlsSkipVerify"`
	ServerName        string `json:"serverName"`
}

// seconds is a number, which older editors write as a string.
type seconds time.Duration

// UnmarshalJSON implements json.Unmarshaler.
func (s *seconds) UnmarshalJSON(text []byte) error {
	n, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
	switch {
	case string(text) == "null" || string(text) == `""`:
		*s = 0
	case err != nil || !(n >= 0 && n <= 1e6): // also for NaN
		return fmt.Errorf("\"timeout\" must be a number of seconds from 0 to 1000000")
	default:
		*s = seconds(n * float64(time.Second))
	}
	return nil
}

// FromDataSource returns the options in the settings of a data source. It reads the keys
// that the editors of existing hosts write:
//
//	timeout                          seconds; 0 for the default
//	tlsAuth                          with the secrets tlsClientCert and tlsClientKey
//	tlsAuthWithCACert                with the secret tlsCACert
//	tlsSkipVerify, serverName
//	httpHeaderName1, ...             with the secrets httpHeaderValue1, ...
//	oauthPassThru                    sets ForwardSignIn
//
// Basic authentication uses the data source's BasicAuthUser and the secret
// basicAuthPassword. The secret bearerToken sets BearerToken. The error is an *sdk.Error
// with status 400.
func FromDataSource(ds sdk.DataSource) (Options, error) {
	s, err := sdk.DecodeSettings[settings](ds.Settings)
	if err != nil {
		return Options{}, err
	}
	o := Options{
		URL: ds.URL, Timeout: time.Duration(s.Timeout), ForwardSignIn: s.OAuthPassThru, BearerToken: ds.Secrets["bearerToken"],
	}
	if o.TLS, err = TLSFromDataSource(ds); err != nil {
		return Options{}, err
	}
	if ds.BasicAuth {
		o.BasicUser, o.BasicPassword = ds.BasicAuthUser, ds.Secrets["basicAuthPassword"]
	}
	o.Header, err = customHeader(ds.Settings)
	return o, err
}

// TLSFromDataSource returns the part of FromDataSource's options that is about TLS, with
// the same errors. It does not read the other keys.
func TLSFromDataSource(ds sdk.DataSource) (TLS, error) {
	s, err := sdk.DecodeSettings[tlsSettings](ds.Settings)
	if err != nil {
		return TLS{}, err
	}
	t := TLS{ServerName: s.ServerName, SkipVerify: s.TLSSkipVerify}
	if s.TLSAuthWithCACert {
		if t.CA = ds.Secrets["tlsCACert"]; t.CA == "" {
			return TLS{}, invalid("\"tlsAuthWithCACert\" is set, but the secret \"tlsCACert\" is missing")
		}
	}
	if s.TLSAuth {
		t.ClientCert, t.ClientKey = ds.Secrets["tlsClientCert"], ds.Secrets["tlsClientKey"]
		if t.ClientCert == "" || t.ClientKey == "" {
			return TLS{}, invalid("\"tlsAuth\" is set, but the secret \"tlsClientCert\" or \"tlsClientKey\" is missing")
		}
	}
	return t, nil
}

const (
	headerName  = "httpHeaderName"
	headerValue = "httpHeaderValue"
)

// customHeader pairs the names in the settings with the values in the secrets.
func customHeader(s sdk.Settings) (http.Header, error) {
	var all map[string]json.RawMessage
	if len(s.JSON) == 0 || json.Unmarshal(s.JSON, &all) != nil {
		return nil, nil // DecodeSettings has checked it
	}
	var header http.Header
	for key, raw := range all {
		number, ok := strings.CutPrefix(key, headerName)
		if !ok {
			continue
		}
		var name string
		if err := json.Unmarshal(raw, &name); err != nil || strings.ContainsFunc(name, isNotToken) {
			return nil, invalid("%q must be a header name", key)
		}
		value := s.Secrets[headerValue+number]
		if strings.ContainsAny(value, "\r\n\x00") {
			return nil, invalid("the secret %q must be a header value without line breaks", headerValue+number)
		}
		if name == "" {
			continue
		}
		if header == nil {
			header = http.Header{}
		}
		header.Add(name, value)
	}
	return header, nil
}

// isNotToken reports whether a header name cannot contain r (RFC 9110).
func isNotToken(r rune) bool {
	return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
}
