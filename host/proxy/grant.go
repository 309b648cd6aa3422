package proxy

import (
	"cmp"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/slipway-dev/slipway/bundle"
)

// grant is a request for a token, with its templates filled in.
type grant struct {
	to   string
	form url.Values
	jwt  *assertion // signed when the form is sent; nil for tokenAuth
}

// assertion holds the claims of a JWT and the key that signs it.
type assertion struct{ issuer, audience, scope, key string }

// grant fills in tokenAuth or jwtTokenAuth of a route, or returns nil if it has neither.
func (s settings) grant(route *bundle.Route) (*grant, error) {
	kind, auth := "tokenAuth", route.TokenAuth
	if route.JWTTokenAuth != nil {
		kind, auth = "jwtTokenAuth", route.JWTTokenAuth
	}
	if auth == nil {
		return nil, nil
	}
	g := &grant{form: url.Values{}}
	for _, name := range slices.Sorted(maps.Keys(auth.Params)) {
		text, err := s.render(kind+".params."+name, auth.Params[name])
		if err != nil {
			return nil, err
		}
		g.form.Set(name, text)
	}
	scope, err := s.render(kind+".scopes", strings.Join(auth.Scopes, " "))
	if err != nil {
		return nil, err
	}
	address := auth.URL
	if kind == "jwtTokenAuth" && address == "" {
		address = auth.Params["token_uri"]
	}
	to, err := s.address(kind+".url", address)
	if err != nil {
		return nil, err
	}
	g.to = to.String()
	if kind == "tokenAuth" {
		if scope != "" && !g.form.Has("scope") {
			g.form.Set("scope", scope)
		}
		return g, nil
	}
	g.jwt = &assertion{
		issuer: g.form.Get("client_email"), audience: cmp.Or(g.form.Get("token_uri"), g.to), scope: scope,
		// A key copied out of a JSON file has its line breaks escaped.
		key: strings.ReplaceAll(g.form.Get("private_key"), `\n`, "\n"),
	}
	g.form = url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}}
	return g, nil
}

// sign returns the JWT, valid for an hour. Its errors never contain the key.
func (a assertion) sign(now time.Time) (string, error) {
	key, err := jwt.ParseRSAPrivateKeyFromPEM([]byte(a.key))
	if err != nil {
		return "", errors.New("private_key must be an RSA key in PEM form")
	}
	claims := jwt.MapClaims{
		"iss": a.issuer, "aud": a.audience,
		"iat": now.Add(-10 * time.Second).Unix(), // the service's clock may be behind
		"exp": now.Add(time.Hour).Unix(),
	}
	if a.scope != "" {
		claims["scope"] = a.scope
	}
	return jwt.NewWithClaims(jwt.SigningMethodRS256, claims).SignedString(key)
}
