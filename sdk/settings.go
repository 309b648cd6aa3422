package sdk

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/jsontype"
)

// DecodeSettings decodes settings into a struct S:
//
//	type settings struct {
//		Region string `json:"region" required:"true"`
//		Limit  int    `json:"limit"`
//		APIKey string `secret:"apiKey" required:"true"`
//	}
//
// It decodes Settings.JSON with encoding/json, and ignores keys that S does not have. A
// string field with a secret tag is set to the secret of that name, never from the
// JSON. A field tagged required:"true" must not have the zero value of its type. These
// rules also apply to nested structs. A nil pointer to a struct is replaced with a new
// struct if the pointer is embedded or a secret of the struct is set. If S or *S has a
// method Validate() error, DecodeSettings calls it last.
//
// The error is an *Error with status 400. It names the first field with a value of the wrong
// type and every required field that is missing, and contains no secrets.
func DecodeSettings[S any](s Settings) (S, error) {
	var into S
	var errs []error
	if len(s.JSON) > 0 {
		if err := json.Unmarshal(s.JSON, &into); err != nil {
			errs = append(errs, errors.New(describeJSONError(err)))
		}
	}
	v := reflect.ValueOf(&into).Elem()
	for ; v.Kind() == reflect.Pointer; v = v.Elem() {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
	}
	if v.Kind() == reflect.Struct {
		errs = append(errs, fillSecrets(v, s.Secrets, nil)...)
	}
	if len(errs) == 0 {
		if err := validate(&into); err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) == 0 {
		return into, nil
	}
	texts := make([]string, len(errs))
	for i, err := range errs {
		texts[i] = err.Error()
	}
	var none S
	return none, &Error{Status: http.StatusBadRequest, Source: SourceDownstream, Message: "invalid settings: " + strings.Join(texts, "; ")}
}

// fillSecrets sets the secrets of a struct and the structs in it, and returns an error
// for each required field that is empty. within are the types of the structs around it.
func fillSecrets(v reflect.Value, secrets map[string]string, within []reflect.Type) (errs []error) {
	within = append(slices.Clip(within), v.Type())
	for field, value := range v.Fields() {
		inner := value
		if inner.Kind() == reflect.Pointer {
			t := inner.Type().Elem()
			isEmbedded := field.Anonymous && t.Kind() == reflect.Struct && !slices.Contains(within, t)
			isSet := hasSecret(t, secrets, within)
			switch {
			case !inner.IsNil() || !isEmbedded && !isSet:
			case inner.CanSet():
				inner.Set(reflect.New(t))
			case isEmbedded && isSet:
				errs = append(errs, fmt.Errorf("field %s of the settings embeds a pointer to an unexported struct with secrets; embed the "+
					"struct itself", field.Name))
			}
			inner = inner.Elem() // the zero Value of a nil
		}
		if inner.Kind() == reflect.Struct && (field.IsExported() || field.Anonymous) {
			errs = append(errs, fillSecrets(inner, secrets, within)...)
		}
		name, isSecret := field.Tag.Lookup("secret")
		if isSecret {
			if value.Kind() != reflect.String || !value.CanSet() {
				errs = append(errs, fmt.Errorf("field %s of the settings has a secret tag and must be an exported string", field.Name))
				continue
			}
			value.SetString(secrets[name])
		}
		if field.Tag.Get("required") == "true" && value.IsZero() {
			if isSecret {
				errs = append(errs, fmt.Errorf("the secret %q is missing", name))
			} else {
				errs = append(errs, fmt.Errorf("%q is missing", jsonName(field)))
			}
		}
	}
	return errs
}

// hasSecret reports whether a secret is set for a field of a struct or of the structs in it,
// except those in within.
func hasSecret(t reflect.Type, secrets map[string]string, within []reflect.Type) bool {
	if t.Kind() != reflect.Struct || slices.Contains(within, t) {
		return false
	}
	within = append(slices.Clip(within), t)
	for field := range t.Fields() {
		inner := field.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if secrets[field.Tag.Get("secret")] != "" || hasSecret(inner, secrets, within) {
			return true
		}
	}
	return false
}

func jsonName(field reflect.StructField) string {
	if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" {
		return name
	}
	return field.Name
}

// validate calls the method Validate of a value, if it has one.
func validate[T any](pointer *T) error {
	type validator interface{ Validate() error }
	if v, ok := any(pointer).(validator); ok {
		return v.Validate()
	}
	if v, ok := any(*pointer).(validator); ok { // T is a pointer itself
		if r := reflect.ValueOf(v); r.Kind() != reflect.Pointer || !r.IsNil() {
			return v.Validate()
		}
	}
	return nil
}

// describeJSONError describes an error from encoding/json to the person who wrote the
// JSON, without Go types and without values.
func describeJSONError(err error) string {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		found, _, _ := strings.Cut(wrong.Value, " ") // "number 300"
		if wrong.Field == "" {
			return fmt.Sprintf("must be %s, found %s", jsontype.Of(wrong.Type), jsontype.Name(found))
		}
		return fmt.Sprintf("%q must be %s, found %s", wrong.Field, jsontype.Of(wrong.Type), jsontype.Name(found))
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf("invalid JSON at byte %d: %s", syntax.Offset, syntax)
	}
	return err.Error()
}
