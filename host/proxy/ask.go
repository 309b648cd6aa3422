package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/host"
)

const (
	maxToken    = 1 << 20     // bytes read of an answer with a token
	unknownLife = time.Minute // of a token that does not say when it ends
	longestLife = 24 * time.Hour
)

// ask posts the form and reads the token, and how long it lives. Its errors hold
// nothing of what was sent, nor of the answer but the code that the standard has.
func (t *tokens) ask(ctx context.Context, g *grant) (string, time.Duration, error) {
	form := g.form
	if g.jwt != nil {
		signed, err := g.jwt.sign(t.clock())
		if err != nil {
			return "", 0, unavailable("jwtTokenAuth of plugin.json: %v", err)
		}
		form = maps.Clone(form)
		form.Set("assertion", signed)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.to, strings.NewReader(form.Encode()))
	if err != nil {
		return "", 0, unavailable("the address of the token service is none")
	}
	req.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Accept": {"application/json"}, "User-Agent": nil}
	res, err := t.transport.RoundTrip(req)
	if err != nil {
		return "", 0, broken("the token service of the plugin", err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxToken))
	if err != nil {
		return "", 0, broken("the token service of the plugin", err)
	}
	return readToken(res.StatusCode, raw)
}

func readToken(status int, raw []byte) (string, time.Duration, error) {
	var answer struct {
		Token string      `json:"access_token"`
		Life  json.Number `json:"expires_in"` // seconds; some send a text
		Error string      `json:"error"`
	}
	refuse := func(why string) (string, time.Duration, error) {
		return "", 0, upstream(host.ErrUpstream, "the token service of the plugin gave no token", errors.New(why))
	}
	err := json.Unmarshal(raw, &answer)
	switch {
	case status < 200 || status > 299:
		if len(answer.Error) > 60 || onlyChars(answer.Error, "_-", "no code") != nil {
			answer.Error = ""
		}
		return refuse(strings.TrimSpace(fmt.Sprintf("status %d %s", status, answer.Error)))
	case err != nil:
		return refuse("the answer is not the JSON of a token, or too long")
	case answer.Token == "" || !isHeaderValue(answer.Token) || strings.ContainsAny(answer.Token, " \t"):
		return refuse("the answer has no access_token that a header could carry")
	}
	life := unknownLife
	if seconds, err := answer.Life.Float64(); err == nil {
		life = time.Duration(max(0, min(seconds, longestLife.Seconds()))) * time.Second
	}
	return answer.Token, life, nil
}

// hostOf names a service in the log without what its address may hold.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}
