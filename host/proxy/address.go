package proxy

import (
	"errors"
	"net/url"
	"strings"

	"github.com/slipway-dev/slipway/host"
)

// address is where requests go: what the text before a value left open, the value
// fills, and no more. A value cannot leave the host, the path or the query that
// it stands in.
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
				return nil, unavailable("%s of plugin.json: a setting in it %v", what, err)
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

// after returns what is printed after a piece.
func after(pieces []piece, i int) string {
	for _, p := range pieces[i+1:] {
		if p.text != "" {
			return p.text
		}
	}
	return ""
}

// place returns the form of a value in an address of which before is written.
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
		return p.text, onlyChars(p.text, "", "is not http or https")
	case before == "": // the address of a service, to be continued
		base, err := parseAddress(p.text)
		if err != nil {
			return "", err
		}
		switch {
		case after == "":
			return base.String(), nil
		case base.RawQuery != "":
			return "", errors.New("has a query, which cannot be continued")
		}
		return strings.TrimSuffix(base.String(), "/"), nil
	case !hasScheme:
		return "", errors.New("stands in the scheme of the address")
	case strings.Contains(rest, "/"):
		return placeInPath(before, p, after)
	case rest == "" || strings.ContainsAny(rest[len(rest)-1:], ".-:") || isHostByte(after):
		return p.text, onlyChars(p.text, ".-:_[]", "is no part of a host name")
	case p.text[0] == '/': // right after a host that is complete
		return placeInPath(before, p, after)
	}
	return "", errors.New("would change the host of the address; begin it with /")
}

// placeInPath escapes all but slashes, of which two that meet become one. The
// segments are looked at once more when the address is complete.
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
			if err := checkSegment(s); err != nil {
				return "", err
			}
		}
		segments[i] = url.PathEscape(s)
	}
	return strings.Join(segments, "/"), nil
}

func isHostByte(text string) bool {
	return text != "" && onlyChars(text[:1], ".-:_", "") == nil
}

func onlyChars(text, beside, otherwise string) error {
	for _, b := range []byte(text) {
		switch {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= '0' && b <= '9', strings.IndexByte(beside, b) >= 0:
		default:
			return errors.New(otherwise)
		}
	}
	return nil
}

// parseAddress accepts http and https with a host, without a user and without a
// fragment, and with a path that every server reads alike.
func parseAddress(text string) (*url.URL, error) {
	if len(text) > maxPath || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' }) {
		return nil, errors.New("is no address: it is too long or has a space, a backslash or a control character")
	}
	u, err := url.Parse(text)
	switch {
	case err != nil: // whose text would show the address, and perhaps a secret in it
		return nil, errors.New("is no address")
	case u.Scheme != "http" && u.Scheme != "https" || u.Opaque != "":
		return nil, errors.New("is not an address that begins with http:// or https://")
	case u.Hostname() == "" || strings.ContainsAny(u.Host, "%@"):
		return nil, errors.New("is an address without a proper host")
	case u.User != nil:
		return nil, errors.New("has a user before its host")
	case u.Fragment != "" || strings.Contains(text, "#"):
		return nil, errors.New("has a fragment")
	}
	p, err := parsePath(u.EscapedPath())
	if err != nil {
		if e, ok := errors.AsType[*host.Error](err); ok {
			return nil, errors.New("has a path that " + e.Message)
		}
		return nil, err
	}
	if _, err := url.ParseQuery(u.RawQuery); err != nil {
		return nil, errors.New("has a query that cannot be read")
	}
	return at(u, p), nil
}

// at returns the address with another path.
func at(u *url.URL, p path) *url.URL {
	there := *u
	there.RawPath = p.String()
	there.Path, _ = url.PathUnescape(there.RawPath) // it is made of escapes
	return &there
}

// below returns the address of rest under base. What the route itself puts in the
// query wins over what the caller does: names are compared without case, as some
// servers do.
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
	for name, values := range own {
		fixed[name] = values
	}
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
			return nil, host.Invalid("query", "cannot be read: a %% without two digits, or a ; that is not escaped")
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
