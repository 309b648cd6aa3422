package proxy

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/internal/urlpath"
)

// address fills in a template of a URL. A value is escaped for the part of the URL it
// is in and cannot extend beyond it: not out of the host, the path or the query.
func (s settings) address(what, text string) (*url.URL, error) {
	pieces, err := s.pieces(what, text)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for i, p := range pieces {
		part := p.text
		if p.isValue {
			if part, err = place(b.String(), p, after(pieces, i)); err != nil {
				return nil, unavailable("plugin.json: %s: a setting in it %v", what, err)
			}
		}
		b.WriteString(part)
	}
	u, err := parseAddress(b.String())
	if err != nil {
		return nil, unavailable("%s: %v", what, err)
	}
	return u, nil
}

// after returns the text that follows a piece.
func after(pieces []piece, i int) string {
	for _, p := range pieces[i+1:] {
		if p.text != "" {
			return p.text
		}
	}
	return ""
}

// place returns the escaped form of a value between the strings before and after.
func place(before string, p piece, after string) (string, error) {
	_, rest, hasScheme := strings.Cut(before, "://")
	switch {
	case p.text == "":
		return "", nil
	case strings.Contains(before, "?"):
		if p.isEscaped {
			return p.text, nil
		}
		return url.QueryEscape(p.text), nil
	case before == "" && strings.HasPrefix(after, "://"):
		if !host.HasOnly(p.text, "") {
			return "", errors.New("must be http or https")
		}
		return p.text, nil
	case before == "": // a base address, to be continued
		base, err := parseAddress(p.text)
		if err != nil {
			return "", err
		}
		switch {
		case after == "":
			return base.String(), nil
		case base.RawQuery != "":
			return "", errors.New("has a query and cannot be extended")
		}
		return strings.TrimSuffix(base.String(), "/"), nil
	case !hasScheme:
		return "", errors.New("must not be in the scheme of the address")
	case strings.Contains(rest, "/"):
		return placeInPath(before, p, after)
	case rest == "" || strings.ContainsAny(rest[len(rest)-1:], ".-:") || isHostByte(after):
		if !host.HasOnly(p.text, ".-:_[]") {
			return "", errors.New("is not part of a host name")
		}
		return p.text, nil
	case p.text[0] == '/': // after a complete host
		return placeInPath(before, p, after)
	}
	return "", errors.New("would change the host of the address; start it with /")
}

// placeInPath escapes everything but slashes and joins two slashes that meet. The
// segments are checked again when the address is complete.
func placeInPath(before string, p piece, after string) (string, error) {
	if p.isEscaped {
		return strings.ReplaceAll(p.text, "+", "%20"), nil
	}
	text := p.text
	if strings.HasSuffix(before, "/") {
		text = strings.TrimPrefix(text, "/")
	}
	if strings.HasPrefix(after, "/") {
		text = strings.TrimSuffix(text, "/")
	}
	segments := strings.Split(text, "/")
	for i, s := range segments {
		if s != "" {
			if err := urlpath.CheckName(s); err != nil {
				return "", fmt.Errorf("has a segment that %w", err)
			}
		}
		segments[i] = url.PathEscape(s)
	}
	return strings.Join(segments, "/"), nil
}

func isHostByte(text string) bool { return text != "" && host.HasOnly(text[:1], ".-:_") }

// parseAddress parses an http or https URL that has a host, no user, no fragment and a
// path that all servers read alike. Its errors complete a sentence.
func parseAddress(text string) (*url.URL, error) {
	if len(text) > maxPath || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' }) {
		return nil, errors.New("is not a valid URL: it is too long or contains a space, a backslash or a control character")
	}
	u, err := url.Parse(text)
	switch {
	case err != nil: // err contains the address and perhaps a secret
		return nil, errors.New("is not a valid URL")
	case u.Scheme != "http" && u.Scheme != "https" || u.Opaque != "":
		return nil, errors.New("must start with http:// or https://")
	case u.Hostname() == "" || strings.ContainsAny(u.Host, "%@"):
		return nil, errors.New("has no valid host")
	case u.User != nil:
		return nil, errors.New("must not contain a user")
	case u.Fragment != "" || strings.Contains(text, "#"):
		return nil, errors.New("must not contain a fragment")
	}
	p, err := parsePath(u.EscapedPath())
	if err != nil {
		if e, ok := errors.AsType[*host.Error](err); ok {
			return nil, errors.New("has a path that " + e.Message)
		}
		return nil, err
	}
	if _, err := url.ParseQuery(u.RawQuery); err != nil {
		return nil, errors.New("has an invalid query")
	}
	return at(u, p), nil
}

// at returns the address with another path.
func at(u *url.URL, p path) *url.URL {
	there := *u
	there.RawPath = p.String()
	there.Path, _ = url.PathUnescape(there.RawPath) // String escapes correctly
	return &there
}

// below returns the address of rest below base. Parameters of the route replace those of the caller. Their names are
// compared without regard to case, as some servers do.
func below(base *url.URL, rest path, own url.Values, query string) (*url.URL, error) {
	basePath, err := parsePath(base.EscapedPath())
	if err != nil {
		return nil, err
	}
	to := at(base, basePath.join(rest))
	fixed, err := url.ParseQuery(base.RawQuery)
	if err != nil {
		return nil, err
	}
	maps.Copy(fixed, own)
	isFixed := map[string]bool{}
	for name := range fixed {
		isFixed[host.Fold(name)] = true
	}
	var pairs []string
	if len(fixed) > 0 {
		pairs = []string{fixed.Encode()}
	}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, hasValue := strings.Cut(pair, "=")
		name, nameErr := url.QueryUnescape(name)
		value, valueErr := url.QueryUnescape(value)
		switch {
		case nameErr != nil || valueErr != nil || strings.Contains(pair, ";"):
			return nil, host.Invalid("query", "must not contain an unescaped ;, or a %% that is not followed by two hexadecimal digits")
		case pair == "" || isFixed[host.Fold(name)]:
			continue
		}
		clean := url.QueryEscape(name)
		if hasValue {
			clean += "=" + url.QueryEscape(value)
		}
		pairs = append(pairs, clean)
	}
	to.RawQuery = strings.Join(pairs, "&")
	return to, nil
}

// Origins returns the origins to which routes send secrets, with the settings that their
// addresses refer to. An address that depends on a secret counts as another origin for
// each change of secrets; changed holds those that a change sets. A route whose address
// cannot be filled in sends nothing.
func Origins(routes []bundle.Route, base string, data json.RawMessage, changed map[string]string) []string {
	s, err := newSettings(base, data, nil)
	if err != nil {
		return nil
	}
	var origins []string
	for _, route := range routes {
		templates := []string{route.URL}
		for _, auth := range []*bundle.TokenAuth{route.TokenAuth, route.JWTTokenAuth} {
			if auth != nil {
				templates = append(templates, cmp.Or(auth.URL, auth.Params["token_uri"]))
			}
		}
		for _, text := range templates {
			if strings.Contains(text, "SecureJsonData") {
				if len(changed) > 0 {
					origins = append(origins, text)
				}
			} else if u, err := s.address("url", text); err == nil {
				origins = append(origins, strings.ToLower(u.Scheme+"://"+u.Host))
			}
		}
	}
	return origins
}
