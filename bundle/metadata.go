package bundle

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// MetadataFile is the name of the file that describes a plugin.
const MetadataFile = "plugin.json"

// DistDir is the name of the directory of a built plugin.
const DistDir = "dist"

// Type is the type of a plugin, "type" in plugin.json.
type Type string

// The plugin types of the contract.
const (
	TypeApp            Type = "app"
	TypeDatasource     Type = "datasource"
	TypePanel          Type = "panel"
	TypeRenderer       Type = "renderer"
	TypeSecretsManager Type = "secretsmanager"
)

// Types returns the plugin types in the order of the contract.
func Types() []Type {
	return []Type{TypeApp, TypeDatasource, TypePanel, TypeRenderer, TypeSecretsManager}
}

// What existing hosts start for a renderer and for a secrets manager, whatever their "executable" says.
const (
	RendererExecutable       = "plugin_start"
	SecretsManagerExecutable = "secrets_plugin_start"
)

// HasFrontend reports whether hosts load a module.js for plugins of the type.
func (t Type) HasFrontend() bool {
	return t == TypeApp || t == TypeDatasource || t == TypePanel
}

// Exports returns the names of which the module.js of a plugin of the type must export one. Those after the first are
// of plugins from before "plugin" existed.
func (t Type) Exports() []string {
	switch t {
	case TypeApp:
		return []string{"plugin", "ConfigCtrl"}
	case TypeDatasource:
		return []string{"plugin", "Datasource"}
	case TypePanel:
		return []string{"plugin", "PanelCtrl"}
	}
	return nil
}

// NeedsFrontend reports whether a plugin needs a module.js. An app without pages may have none and only group
// other plugins; hasNested says whether there are any.
func (m *Metadata) NeedsFrontend(hasNested bool) bool {
	isPage := func(i Include) bool { return i.Type == "page" }
	return m.Type.HasFrontend() && (m.Type != TypeApp || !hasNested || m.Preload || slices.ContainsFunc(m.Includes, isPage))
}

// Metadata is a decoded plugin.json, as far as the other packages need it. Validation
// works on a Document instead.
type Metadata struct {
	ID           string       `json:"id"`
	Name         string       `json:"name"`
	Type         Type         `json:"type"`
	Info         Info         `json:"info"`
	Dependencies Dependencies `json:"dependencies"`
	Backend      bool         `json:"backend"`
	Executable   string       `json:"executable"`
	Alerting     bool         `json:"alerting"`
	AutoEnabled  bool         `json:"autoEnabled"`
	Preload      bool         `json:"preload"`
	Category     string       `json:"category"`
	State        string       `json:"state"`
	Streaming    bool         `json:"streaming"`
	IAM          *IAM         `json:"iam"`
	Includes     []Include    `json:"includes"`
	Roles        []Role       `json:"roles"`
	Routes       []Route      `json:"routes"`

	// HealthDiagnosticsErrors is "enterpriseFeatures.healthDiagnosticsErrors".
	HealthDiagnosticsErrors bool `json:"-"`
	// Missing lists the required keys that plugin.json lacks.
	Missing []string `json:"-"`
}

// Info is "info".
type Info struct {
	Description string   `json:"description"`
	Version     string   `json:"version"`
	Updated     string   `json:"updated"`
	Keywords    []string `json:"keywords"`
	Author      struct {
		Name  string `json:"name"`
		Email string `json:"email"`
		URL   string `json:"url"`
	} `json:"author"`
	Logos struct {
		Small string `json:"small"`
		Large string `json:"large"`
	} `json:"logos"`
	Links []struct {
		Name string `json:"name"`
		URL  string `json:"url"`
	} `json:"links"`
	Screenshots []struct {
		Name string `json:"name"`
		Path string `json:"path"`
	} `json:"screenshots"`
}

// Dependencies is "dependencies". ServiceRange is the range of service versions, whose
// key depends on the profile.
type Dependencies struct {
	ServiceRange string `json:"-"`
	// ServiceVersion is the deprecated pattern of service versions, such as 7.x.x.
	ServiceVersion string             `json:"-"`
	Plugins        []PluginDependency `json:"plugins"`
}

// PluginDependency is an item of "dependencies.plugins".
type PluginDependency struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Type    Type   `json:"type"`
	Version string `json:"version"`
}

// UnmarshalJSON decodes the service range from the key of any profile.
func (d *Dependencies) UnmarshalJSON(data []byte) error {
	type plain Dependencies
	if err := json.Unmarshal(data, (*plain)(d)); err != nil {
		return err
	}
	keys := membersOf(data)
	hasRange := false
	for _, p := range Profiles() {
		if raw := keys.named(p.LegacyDependencyKey); raw != nil && d.ServiceVersion == "" {
			_ = json.Unmarshal(raw, &d.ServiceVersion) // hosts ignore it, so its type does not matter
		}
		if raw := keys.named(p.DependencyKey); raw != nil && !hasRange {
			if err := json.Unmarshal(raw, &d.ServiceRange); err != nil {
				return fmt.Errorf("dependencies.%s: %w", p.DependencyKey, err)
			}
			hasRange = true
		}
	}
	return nil
}

// IAM is "iam": it requests a service account for the plugin.
type IAM struct {
	Permissions []Permission `json:"permissions"`
}

// Permission is an RBAC action and the scope to which it is limited, if not "".
type Permission struct {
	Action string `json:"action"`
	Scope  string `json:"scope"`
}

// Include is an item of "includes".
type Include struct {
	Type       string `json:"type"`
	Name       string `json:"name"`
	Path       string `json:"path"`
	UID        string `json:"uid"`
	Role       string `json:"role"`
	Action     string `json:"action"`
	AddToNav   bool   `json:"addToNav"`
	DefaultNav bool   `json:"defaultNav"`
	Icon       string `json:"icon"`      // of the side menu
	Component  string `json:"component"` // the Angular component of a page
}

// Role is an item of "roles": a role and the basic roles that have it.
type Role struct {
	Role struct {
		Name        string       `json:"name"`
		Description string       `json:"description"`
		Permissions []Permission `json:"permissions"`
	} `json:"role"`
	Grant []string `json:"grant"`
}

// inherit takes over the version and the date of the plugin around this one, with which it is released,
// unless it has its own. The outer plugin also has the dependencies of both, and the keywords for the catalog.
func (m *Metadata) inherit(outer *Metadata) {
	m.Info.Version, m.Info.Updated = cmp.Or(m.Info.Version, outer.Info.Version), cmp.Or(m.Info.Updated, outer.Info.Updated)
	m.Missing = slices.DeleteFunc(m.Missing, func(key string) bool {
		return key == "info.version" && m.Info.Version != "" || key == "info.updated" && m.Info.Updated != "" ||
			key == "info.keywords" || key == "dependencies"
	})
}

// ParseMetadata decodes a plugin.json. The error names a key with a value of the wrong
// type. Missing keys are not an error.
func ParseMetadata(data []byte) (*Metadata, error) {
	var m Metadata
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("decode %s: %w", MetadataFile, err)
	}
	m.Missing = missingKeys(data)
	// Hosts ignore other enterprise features and invalid values in them.
	var features struct{ HealthDiagnosticsErrors bool }
	if json.Unmarshal(membersOf(data).named("enterpriseFeatures"), &features) == nil {
		m.HealthDiagnosticsErrors = features.HealthDiagnosticsErrors
	}
	return &m, nil
}

// members holds the members of an object by their names in lower case: the decoder, like existing hosts, ignores case.
type members map[string]json.RawMessage

// membersOf returns no members if data is not an object.
func membersOf(data []byte) members {
	var keys map[string]json.RawMessage
	_ = json.Unmarshal(data, &keys)
	folded := members{}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		folded[strings.ToLower(key)] = keys[key]
	}
	return folded
}

func (m members) named(name string) json.RawMessage { return m[strings.ToLower(name)] }

// missingKeys returns the required keys that a plugin.json lacks, such as "info.logos".
// Null and the empty string do not count as values.
func missingKeys(data []byte) (list []string) {
	within := func(prefix string, data []byte, names ...string) members {
		keys := membersOf(data)
		for _, name := range names {
			if raw := string(keys.named(name)); raw == "" || raw == "null" || raw == `""` {
				list = append(list, prefix+name)
			}
		}
		return keys
	}
	root := within("", data, "id", "name", "type", "info", "dependencies")
	if raw := root.named("info"); raw != nil {
		info := within("info.", raw, "version", "updated", "keywords", "logos")
		if raw := info.named("logos"); raw != nil {
			within("info.logos.", raw, "small", "large")
		}
	}
	if raw := root.named("dependencies"); raw != nil {
		keys := within("", raw)
		hasRange, name := false, Profiles()[0].DependencyKey
		for _, p := range Profiles() {
			text := string(keys.named(p.DependencyKey))
			hasRange = hasRange || text != "" && text != "null" && text != `""`
			if keys.named(p.LegacyDependencyKey) != nil {
				name = p.DependencyKey
			}
		}
		if !hasRange {
			list = append(list, "dependencies."+name)
		}
		var plugins []json.RawMessage
		_ = json.Unmarshal(keys.named("plugins"), &plugins)
		for i, raw := range plugins {
			within(fmt.Sprintf("dependencies.plugins[%d].", i), raw, "id", "name", "type", "version")
		}
	}
	return list
}

// maxID is the maximum length of a plugin id in bytes.
const maxID = 128

var validID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// CheckID returns an error unless a host can mount a plugin with the id: it is part of
// URLs, scopes and names of accounts. Package validate recommends less, and published
// plugins use more.
func CheckID(id string) error {
	switch {
	case len(id) > maxID:
		return fmt.Errorf("id has %d bytes; the limit is %d", len(id), maxID)
	case !validID.MatchString(id):
		return fmt.Errorf("invalid id %q: use letters, digits, hyphens, dots and underscores, and start with a letter or digit", id)
	case slices.Contains([]string{"errors", "events"}, id):
		return fmt.Errorf("reserved id %q: choose another", id)
	}
	return nil
}

// The placeholders in the source's plugin.json, which the build replaces.
const (
	PlaceholderVersion = "%VERSION%"
	PlaceholderToday   = "%TODAY%"
	PlaceholderID      = "%PLUGIN_ID%"
)

// Placeholders returns all placeholders.
func Placeholders() []string {
	return []string{PlaceholderVersion, PlaceholderToday, PlaceholderID}
}

// FindPlaceholder returns the first placeholder in text, or "", and its byte offset.
func FindPlaceholder(text string) (name string, at int) {
	for _, p := range Placeholders() {
		if i := strings.Index(text, p); i >= 0 && (name == "" || i < at) {
			name, at = p, i
		}
	}
	return name, at
}

// Route is an item of "routes", a proxied path. The strings in URL, Headers, URLParams,
// Body, TokenAuth and JWTTokenAuth are templates over the settings.
type Route struct {
	Path         string          `json:"path"`
	Method       string          `json:"method"` // such as "GET, POST"; "" and "*" mean every method
	URL          string          `json:"url"`
	ReqSignedIn  bool            `json:"reqSignedIn"`
	ReqRole      string          `json:"reqRole"`
	ReqAction    string          `json:"reqAction"`
	Headers      []RouteValue    `json:"headers"`
	URLParams    []RouteValue    `json:"urlParams"` // only in the grafana profile
	Body         json.RawMessage `json:"body"`      // an object that replaces the caller's body
	TokenAuth    *TokenAuth      `json:"tokenAuth"`
	JWTTokenAuth *TokenAuth      `json:"jwtTokenAuth"`
}

// RouteValue is a header or a query parameter that a route adds.
type RouteValue struct {
	Name    string `json:"name"`
	Content string `json:"content"`
}

// TokenAuth configures the OAuth service that issues the bearer token of a route. In
// "tokenAuth" Params is the form to post; in "jwtTokenAuth" its keys are client_email,
// private_key and token_uri.
type TokenAuth struct {
	URL    string            `json:"url"`
	Scopes []string          `json:"scopes"`
	Params map[string]string `json:"params"`
}
