package proxy

import (
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strings"
)

// value marks a printed value. It rejects objects and arrays.
func value(v any) (string, error) { return marked("v", v) }

// escaped marks a value that urlquery has escaped.
func escaped(v any) (string, error) { return marked("e", v) }

func marked(kind string, v any) (string, error) {
	text, err := scalar(v)
	if strings.Contains(text, mark) {
		return "", errors.New("the value contains NUL")
	}
	return mark + kind + text + mark, err
}

func scalar(v any) (string, error) {
	switch reflect.ValueOf(v).Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
		if text := fmt.Sprint(v); len(text) <= maxRendered {
			return text, nil
		}
		return "", errors.New("the value is too long")
	}
	return "", errors.New("the value must be a string, a number or a boolean")
}

func query(v any) (string, error) {
	text, err := scalar(v)
	return url.QueryEscape(text), err
}

// printf is fmt.Sprintf for values that a template may print.
func printf(format string, args ...any) (string, error) {
	for _, arg := range args {
		if _, err := scalar(arg); err != nil {
			return "", err
		}
	}
	text := fmt.Sprintf(format, args...)
	switch {
	case strings.Contains(text, "%!"):
		return "", errors.New("printf: verbs and values do not match")
	case len(text) > maxRendered: // a template can pass what it printed to printf again
		return "", errors.New("printf: the text is too long")
	}
	return text, nil
}

// index looks up keys. Unlike the built-in function it returns an error if a key is
// missing.
func index(in any, keys ...string) (any, error) {
	for _, key := range keys {
		var ok bool
		switch from := in.(type) {
		case map[string]any:
			in, ok = from[key]
		case map[string]string:
			in, ok = from[key]
		}
		if !ok {
			return nil, errors.New("index: no such key") // without the key, which may be a secret
		}
	}
	return in, nil
}
