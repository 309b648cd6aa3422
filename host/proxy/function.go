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
	if len(text) > maxRendered/4 { // repeated escaping must not grow without limit
		return "", errors.New("the value is too long")
	}
	return url.QueryEscape(text), err
}

// printf is fmt.Sprintf without the directives that turn a short value into a long string.
func printf(format string, args ...any) (string, error) {
	for _, long := range strings.FieldsFunc(format, func(r rune) bool { return r < '0' || r > '9' }) {
		if len(long) > 2 && strings.Contains(format, "%") {
			return "", errors.New("printf: numbers of three or more digits are not allowed")
		}
	}
	if strings.Count(format, "%") > 16 || strings.ContainsAny(format, "*[") {
		return "", errors.New("printf: the format must not contain *, [ or more than 16 verbs")
	}
	size := len(format)
	for _, arg := range args {
		text, err := scalar(arg)
		if err != nil {
			return "", err
		}
		size += len(text)
	}
	if size > maxRendered/4 {
		return "", errors.New("printf: the values are too long")
	}
	text := fmt.Sprintf(format, args...)
	if strings.Contains(text, "%!") {
		return "", errors.New("printf: verbs and values do not match")
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
