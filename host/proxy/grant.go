package proxy

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/bundle"
)

// grant is a request for a token, filled in.
type grant struct {
	to   string
	form url.Values
	jwt  *assertion // to be signed when the form is sent; nil without one
}

// assertion is what a JWT claims, and the key that signs it.
type assertion struct{ issuer, audience, scope, key string }

// grant fills in what a route says about tokens; nil if it says nothing.
func (s settings) grant(route *bundle.Route) (*grant, error) {
	kind, auth := "tokenAuth", route.TokenAuth
	if route.JWTTokenAuth != nil {
		kind, auth = "jwtTokenAuth", route.JWTTokenAuth
	}
	if auth == nil {
		return nil, nil
	}
	form := url.Values{}
	for _, name := range slices.Sorted(maps.Keys(auth.Params)) {
		text, err := s.render(kind+".params."+name, auth.Params[name])
		if err != nil {
			return nil, err
		}
		form.Set(name, text)
	}
	var scopes []string
	for _, one := range auth.Scopes {
		text, err := s.render(kind+".scopes", one)
		if err != nil {
			return nil, err
		}
		scopes = append(scopes, text)
	}
	scope, g := strings.Join(scopes, " "), &grant{form: form}
	address := auth.URL
	if kind == "jwtTokenAuth" {
		if address == "" {
			address = auth.Params["token_uri"]
		}
		g.form = url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}}
		g.jwt = &assertion{issuer: form.Get("client_email"), audience: form.Get("token_uri"), scope: scope,
			key: strings.ReplaceAll(form.Get("private_key"), `\n`, "\n")} // as it is when copied out of a JSON file
	} else if scope != "" && !form.Has("scope") {
		form.Set("scope", scope)
	}
	to, err := s.address(kind+".url", address)
	if err != nil {
		return nil, err
	}
	g.to = to.String()
	if g.jwt != nil && g.jwt.audience == "" {
		g.jwt.audience = g.to
	}
	return g, nil
}

// sign returns the JWT, valid for an hour.
func (a assertion) sign(now time.Time) (string, error) {
	key, err := parseKey(a.key)
	if err != nil {
		return "", err
	}
	claims := map[string]any{
		"iss": a.issuer, "aud": a.audience,
		"iat": now.Add(-10 * time.Second).Unix(), // their clock may be behind
		"exp": now.Add(time.Hour).Unix(),
	}
	if a.scope != "" {
		claims["scope"] = a.scope
	}
	body, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	text := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","typ":"JWT"}`)) +
		"." + base64.RawURLEncoding.EncodeToString(body)
	digest := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
	if err != nil {
		return "", err
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

// parseKey reads a PEM block; its errors never show the key.
func parseKey(text string) (*rsa.PrivateKey, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("the private key is not in PEM form")
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	if any, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
		if key, ok := any.(*rsa.PrivateKey); ok {
			return key, nil
		}
	}
	return nil, errors.New("the private key is no RSA key")
}
