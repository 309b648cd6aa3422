package bundle

import "encoding/json"

// Route is one entry of "routes", a proxied path. The texts of URL, Headers,
// URLParams, Body and the two kinds of token are templates over the settings.
type Route struct {
	Path         string          `json:"path"`
	Method       string          `json:"method"` // "GET, POST"; "" and "*" are every method
	URL          string          `json:"url"`
	ReqSignedIn  bool            `json:"reqSignedIn"`
	ReqRole      string          `json:"reqRole"`
	ReqAction    string          `json:"reqAction"`
	Headers      []RouteValue    `json:"headers"`
	URLParams    []RouteValue    `json:"urlParams"` // only in the profile grafana
	Body         json.RawMessage `json:"body"`      // an object, sent instead of the caller's body
	TokenAuth    *TokenAuth      `json:"tokenAuth"`
	JWTTokenAuth *TokenAuth      `json:"jwtTokenAuth"`
}

// RouteValue is a header or a query parameter that a route adds.
type RouteValue struct {
	Name    string `json:"name"`
	Content string `json:"content"`
}

// TokenAuth says where a route's bearer token comes from: the address of an OAuth
// service and what is sent there. As "jwtTokenAuth" its Params are client_email,
// private_key and token_uri, as "tokenAuth" the form that is posted.
type TokenAuth struct {
	URL    string            `json:"url"`
	Scopes []string          `json:"scopes"`
	Params map[string]string `json:"params"`
}
