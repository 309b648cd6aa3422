package sdk

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
)

// DecodeSettings reads the settings into a struct S of the author's:
//
//	type settings struct {
//		Region string `json:"region" required:"true"`
//		Limit  int    `json:"limit"`
//		APIKey string `secret:"apiKey" required:"true"`
//	}
//
// Visible settings follow the rules of encoding/json. A string field with the tag
// secret gets the secret of that name, and only from there. A field with
// required:"true" must not be empty; for more, give S or *S a method
// Validate() error, which is called when nothing is missing. The error is an *Error with
// status 400, names the fields that are wrong, and never holds a secret. Structs within S are treated alike; one behind a
// pointer is left out when the settings leave it out. Settings that S does not know are
// left alone.
func DecodeSettings[S any](s Settings) (S, error) {
	var into S
	var faults []error
	if len(s.JSON) > 0 {
		if err := json.Unmarshal(s.JSON, &into); err != nil {
			faults = append(faults, errors.New(jsonFault(err)))
		}
	}
	v := reflect.ValueOf(&into).Elem()
	for ; v.Kind() == reflect.Pointer; v = v.Elem() {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
	}
	if v.Kind() == reflect.Struct {
		faults = append(faults, fillSecrets(v, s.Secrets)...)
	}
	if len(faults) == 0 {
		if err := check(&into); err != nil {
			faults = append(faults, err)
		}
	}
	if len(faults) == 0 {
		return into, nil
	}
	texts := make([]string, len(faults))
	for i, f := range faults {
		texts[i] = f.Error()
	}
	var none S
	return none, &Error{Status: http.StatusBadRequest, Source: SourceDownstream, Message: "the settings are not right: " + strings.Join(texts, "; ")}
}

// fillSecrets sets the fields that are secrets and finds the required ones that are
// empty, in a struct and the structs in it.
func fillSecrets(v reflect.Value, secrets map[string]string) (faults []error) {
	for field, value := range v.Fields() {
		inner := value
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem() // the zero Value of a nil
		}
		if inner.Kind() == reflect.Struct && (field.IsExported() || field.Anonymous) {
			faults = append(faults, fillSecrets(inner, secrets)...)
		}
		name, isSecret := field.Tag.Lookup("secret")
		if isSecret {
			if value.Kind() != reflect.String || !value.CanSet() {
				faults = append(faults, fmt.Errorf("the plugin's field %s has the tag secret, so it must be an exported string", field.Name))
				continue
			}
			value.SetString(secrets[name])
		}
		if field.Tag.Get("required") == "true" && value.IsZero() {
			if isSecret {
				faults = append(faults, fmt.Errorf("the secret %q is missing", name))
			} else {
				faults = append(faults, fmt.Errorf("%q is missing", jsonName(field)))
			}
		}
	}
	return faults
}

func jsonName(field reflect.StructField) string {
	if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" {
		return name
	}
	return field.Name
}

// check calls the method Validate of a value, if it has one.
func check[T any](pointer *T) error {
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

// jsonFault words an error of encoding/json for the person who wrote the JSON: no
// names of Go types, and no values.
func jsonFault(err error) string {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		where := "it"
		if wrong.Field != "" {
			where = fmt.Sprintf("%q", wrong.Field)
		}
		is, _, _ := strings.Cut(wrong.Value, " ") // "number 300"
		return fmt.Sprintf("%s must be %s, not %s", where, typeWords(wrong.Type), article(is))
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf("it is no JSON: %s at byte %d", syntax, syntax.Offset)
	}
	return err.Error()
}

// typeWords says what JSON a Go type is read from.
func typeWords(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return typeWords(t.Elem())
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return fmt.Sprintf("a whole number that fits in %d bits", t.Bits())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return fmt.Sprintf("a whole number, not negative, that fits in %d bits", t.Bits())
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "another type"
}

func article(kind string) string {
	if kind == "array" || kind == "object" {
		return "an " + kind
	}
	return "a " + kind
}
