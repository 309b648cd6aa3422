package api

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
)

// query returns the parameters of the URL, all plain text.
func query(r *http.Request) (url.Values, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, host.Invalid("query", "is not a valid query string: %s", err)
	}
	for name, list := range values {
		for _, value := range list {
			if !isPlain(value) {
				return nil, host.Invalid(strconv.Quote(name), "is not plain text")
			}
		}
	}
	return values, nil
}

// isPlain says whether a text can be compared with what a database holds.
func isPlain(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }

// page reads the number of a page and, under the given name, its length.
func page(values url.Values, limit string) (p store.Page, err error) {
	if p.Limit, err = count(values, limit); err != nil {
		return p, err
	}
	p.Number, err = count(values, "page")
	return p, err
}

// count reads a number from 0; absent is 0.
func count(values url.Values, name string) (int64, error) {
	text := values.Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, host.Invalid(name, "must be a whole number from 0")
	}
	return n, nil
}

// flag reads true or false; absent is false.
func flag(values url.Values, name string) (bool, error) {
	switch values.Get(name) {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	}
	return false, host.Invalid(name, "must be true or false")
}

// pathID reads a numeric id of the path.
func pathID(r *http.Request, name string) (int64, error) {
	id, err := strconv.ParseInt(r.PathValue(name), 10, 64)
	if err != nil || id < 1 {
		return 0, host.Invalid(name, "must be the numeric id")
	}
	return id, nil
}

// pathUID reads the uid of the path; what cannot be one is not found.
func pathUID(r *http.Request, what string) (string, error) {
	uid := r.PathValue("uid")
	if !host.IsUID(uid) {
		return "", host.NotFound(what)
	}
	return uid, nil
}
