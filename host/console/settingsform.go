package console

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// settingsField is a field that the plugin's own schema asks for.
type settingsField struct {
	Label             string // the title that the schema gives, or the name
	Name, Description string
	Type              string // string, integer, number or boolean
	Value             string // of a string or a number
	IsSet             bool   // a flag is true, or a secret is stored
	HasValue          bool   // a flag is true or false
	IsRequired        bool   // always false for a secret
}

// settingsForm is the part of a form that a plugin describes.
type settingsForm struct {
	Fields, Secrets []settingsField
}

// settingsSchema is what the console uses of the JSON Schema that backends publish.
type settingsSchema struct {
	Properties struct {
		JSONData, SecureJSONData struct {
			Properties map[string]struct{ Type, Title, Description string }
			Required   []string // read from JSONData only
		}
	}
}

// Where backends publish the schema of their settings, and how much of it is used.
const (
	settingsSchemaPath = "/resources/.well-known/settings.schema.json"
	schemaWait         = 2 * time.Second
	maxSchema          = 256 << 10 // bytes
	maxFields          = 100
)

// fieldName matches the names that a form can have fields for: a dot would nest.
var fieldName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)

// settingsForm returns the fields that a plugin asks for, with the values that are set. The
// form is empty if the plugin publishes no schema.
func (c *client) settingsForm(pluginID string, visible map[string]any, secrets map[string]bool) (f settingsForm) {
	ctx, cancel := context.WithTimeout(c.r.Context(), schemaWait)
	defer cancel()
	hurried := *c
	hurried.r = c.r.WithContext(ctx)
	text, err := hurried.send(http.MethodGet, "/api/plugins/"+url.PathEscape(pluginID)+settingsSchemaPath, nil)
	var s settingsSchema
	if err != nil || len(text) > maxSchema || json.Unmarshal(text, &s) != nil {
		return f
	}
	jsonData, secureJSONData := s.Properties.JSONData, s.Properties.SecureJSONData
	for _, name := range slices.Sorted(maps.Keys(jsonData.Properties)) {
		p := jsonData.Properties[name]
		isKnown := slices.Contains(known().visible, name) || !slices.Contains([]string{"string", "integer", "number", "boolean"}, p.Type)
		if isKnown || !fieldName.MatchString(name) || len(f.Fields) == maxFields {
			continue
		}
		field := settingsField{Name: name, Label: cmp.Or(p.Title, name), Description: p.Description, Type: p.Type, IsRequired: slices.Contains(jsonData.Required, name), IsSet: visible[name] == true, HasValue: visible[name] != nil}
		var fits bool
		if field.Value, fits = fieldText(p.Type, visible[name]); !fits {
			continue // the text area shows it
		}
		f.Fields = append(f.Fields, field)
	}
	for _, name := range slices.Sorted(maps.Keys(secureJSONData.Properties)) {
		if slices.Contains(known().secret, name) || !fieldName.MatchString(name) || len(f.Secrets) == maxFields {
			continue
		}
		p := secureJSONData.Properties[name]
		f.Secrets = append(f.Secrets, settingsField{Name: name, Label: cmp.Or(p.Title, name), Description: p.Description, Type: "string", IsSet: secrets[name]})
	}
	return f
}

// fieldText returns the text of a value in a field, and whether it has the type of the field
// or is missing.
func fieldText(kind string, value any) (text string, fits bool) {
	switch v := value.(type) {
	case nil:
		return "", true
	case string:
		return v, kind == "string"
	case bool:
		return "", kind == "boolean"
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), kind == "integer" || kind == "number"
	}
	return "", false
}

// rest returns the settings for which the form has no field, as JSON, or "".
func (f settingsForm) rest(visible map[string]any) string {
	rest := maps.Clone(visible)
	for _, field := range f.Fields {
		delete(rest, field.Name)
	}
	if len(rest) == 0 {
		return ""
	}
	return indentJSON(rest)
}

// others returns the names of the stored secrets for which the form has no field.
func (f settingsForm) others(secrets map[string]bool) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		if !slices.ContainsFunc(f.Secrets, func(s settingsField) bool { return s.Name == name }) {
			names = append(names, name)
		}
	}
	return names
}
