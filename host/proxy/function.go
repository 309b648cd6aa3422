package proxy

import (
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strings"
)

// value marks what a template prints, and refuses what is no text.
func value(v any) (string, error) { return marked("v", v) }

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
	return "", errors.New("the value is not a text, a number, true or false")
}

func query(v any) (string, error) {
	text, err := scalar(v)
	if len(text) > maxRendered/4 { // so that repeating it cannot make it grow without end
		return "", errors.New("the value is too long")
	}
	return url.QueryEscape(text), err
}

// printf is fmt's without what makes much out of little.
func printf(format string, args ...any) (string, error) {
	for _, long := range strings.FieldsFunc(format, func(r rune) bool { return r < '0' || r > '9' }) {
		if len(long) > 2 && strings.Contains(format, "%") {
			return "", errors.New("printf with a number of three digits")
		}
	}
	if strings.Count(format, "%") > 16 || strings.ContainsAny(format, "*[") {
		return "", errors.New("printf with more than 16 verbs, * or [")
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
		return "", errors.New("printf of long values")
	}
	text := fmt.Sprintf(format, args...)
	if strings.Contains(text, "%!") {
		return "", errors.New("printf whose verbs and values do not fit")
	}
	return text, nil
}

// index looks keys up. Unlike the built-in one it takes a missing key for an error.
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
			return nil, errors.New("map has no entry for a key of index") // the key may be a secret
		}
	}
	return in, nil
}
