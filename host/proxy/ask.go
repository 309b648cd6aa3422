package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/host"
)

const (
	maxTokenBody = 1 << 20     // bytes read of a response with a token
	unknownLife  = time.Minute // of a token whose response does not state its life
	longestLife  = 24 * time.Hour

	tokenService = "the token service of the plugin"
)

// ask posts the form and returns the token and its life. Its errors contain nothing of
// what was sent and received except the OAuth error code.
func (t *tokens) ask(ctx context.Context, g *grant) (string, time.Duration, error) {
	form := g.form
	if g.jwt != nil {
		signed, err := g.jwt.sign(t.clock())
		if err != nil {
			return "", 0, unavailable("plugin.json: jwtTokenAuth: %v", err)
		}
		form = maps.Clone(form)
		form.Set("assertion", signed)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.to, strings.NewReader(form.Encode()))
	if err != nil {
		return "", 0, unavailable("invalid address of the token service")
	}
	req.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Accept": {"application/json"}, "User-Agent": nil}
	res, err := t.transport.RoundTrip(req)
	if err != nil {
		return "", 0, broken(tokenService, err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxTokenBody))
	if err != nil {
		return "", 0, broken(tokenService, err)
	}
	token, life, err := readToken(res.StatusCode, raw)
	if err != nil {
		err = upstream(host.ErrUpstream, tokenService+" returned no token", err)
	}
	return token, life, err
}

func readToken(status int, raw []byte) (string, time.Duration, error) {
	var body struct {
		Token string      `json:"access_token"`
		Life  json.Number `json:"expires_in"` // in seconds; some services send a string
		Error string      `json:"error"`
	}
	err := json.Unmarshal(raw, &body)
	switch {
	case status < 200 || status > 299:
		if len(body.Error) > 60 || !hasOnly(body.Error, "_-") {
			body.Error = ""
		}
		return "", 0, errors.New(strings.TrimSpace(fmt.Sprintf("status %d %s", status, body.Error)))
	case err != nil:
		return "", 0, errors.New("the response is not valid JSON, or too long")
	case body.Token == "" || !isHeaderValue(body.Token) || strings.ContainsAny(body.Token, " \t"):
		return "", 0, errors.New("access_token is missing or cannot be sent in a header")
	}
	life := unknownLife
	if seconds, err := body.Life.Float64(); err == nil {
		life = time.Duration(max(0, min(seconds, longestLife.Seconds()))) * time.Second
	}
	return body.Token, life, nil
}
