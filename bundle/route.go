package bundle

import "encoding/json"

// Route is an item of "routes", a proxied path. The strings in URL, Headers, URLParams,
// Body, TokenAuth and JWTTokenAuth are templates over the settings.
type Route struct {
	Path         string          `json:"path"`
	Method       string          `json:"method"` // such as "GET, POST"; "" and "*" mean every method
	URL          string          `json:"url"`
	ReqSignedIn  bool            `json:"reqSignedIn"`
	ReqRole      string          `json:"reqRole"`
	ReqAction    string          `json:"reqAction"`
	Headers      []RouteValue    `json:"headers"`
	URLParams    []RouteValue    `json:"urlParams"` // only in the grafana profile
	Body         json.RawMessage `json:"body"`      // an object that replaces the caller's body
	TokenAuth    *TokenAuth      `json:"tokenAuth"`
	JWTTokenAuth *TokenAuth      `json:"jwtTokenAuth"`
}

// RouteValue is a header or a query parameter that a route adds.
type RouteValue struct {
	Name    string `json:"name"`
	Content string `json:"content"`
}

// TokenAuth configures the OAuth service that issues the bearer token of a route. In
// "tokenAuth" Params is the form to post; in "jwtTokenAuth" its keys are client_email,
// private_key and token_uri.
type TokenAuth struct {
	URL    string            `json:"url"`
	Scopes []string          `json:"scopes"`
	Params map[string]string `json:"params"`
}
