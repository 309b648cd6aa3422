package templates

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/nearest"
)

// Options describe the plugin to scaffold. Type and ID are required.
type Options struct {
	Type        string // name of one of Types
	ID          string // <org>-<name>-<type>
	Dir         string // "" is a new directory named after the id
	Name        string // "" derives it from the id
	Org         string // "" is the first part of the id
	Description string // "" derives one sentence from the name
	Profile     string // name of one of Profiles; "" is DefaultProfile
	Backend     *bool  // nil is the default of the type
	Force       bool   // write into a directory that is not empty
	Slipway     Module // what the plugin repository builds with
	Schema      []byte // JSON Schema of plugin.json for editors; nil writes none
	Today       time.Time
}

// Module is where a plugin repository finds Slipway: a released version with its
// lines for go.sum, or a local checkout.
type Module struct {
	Checkout   string   // absolute directory, or ""
	Version    string   // used if Checkout is ""
	Sums       []string // lines for go.sum, of the module that backends require; may be empty
	TargetSums []string // of the module of the targets
}

// Type is a plugin type that can be scaffolded.
type Type struct {
	Name            string
	Summary         string // what the scaffold contains
	HasFrontend     bool
	HasBackend      bool // unless Options.Backend differs
	BackendOptional bool
	noun            string // with its article
}

// Types returns the plugin types that can be scaffolded.
func Types() []Type {
	return []Type{
		{Name: "app", Summary: "pages, a configuration page with a secret, and optionally a backend",
			HasFrontend: true, HasBackend: true, BackendOptional: true, noun: "an app"},
		{Name: "datasource", Summary: "a query editor, a configuration editor with a secret, and a backend",
			HasFrontend: true, HasBackend: true, noun: "a data source"},
		{Name: "panel", Summary: "a panel with options, and optionally a backend",
			HasFrontend: true, BackendOptional: true, noun: "a panel"},
		{Name: "renderer", Summary: "a backend that renders pages to images and CSV files",
			HasBackend: true, noun: "a renderer"},
		{Name: "secretsmanager", Summary: "a backend that stores the secrets of the host",
			HasBackend: true, noun: "a secrets manager"},
	}
}

// TypeNames returns the names of Types.
func TypeNames() (names []string) {
	for _, t := range Types() {
		names = append(names, t.Name)
	}
	return names
}

// Profile is a choice of the key names in plugin.json.
type Profile struct {
	Name    string
	Summary string
	Keys    []bundle.Profile // whose names plugin.json uses
}

// Profiles returns the profiles of bundle and both, which uses the names of all of them.
func Profiles() (list []Profile) {
	all := bundle.Profiles()
	for _, p := range all {
		list = append(list, Profile{p.Name, fmt.Sprintf("hosts that read %q", p.DependencyKey), []bundle.Profile{p}})
	}
	return append(list, Profile{"both", "hosts of either kind; plugin.json has both keys", all})
}

// ProfileNames returns the names of Profiles.
func ProfileNames() (names []string) {
	for _, p := range Profiles() {
		names = append(names, p.Name)
	}
	return names
}

// Errors of a directory that cannot be scaffolded into. They are wrapped in a
// RequestError.
var (
	ErrNotEmpty     = errors.New("directory is not empty")
	ErrNotDirectory = errors.New("not a directory")
)

// RequestError is an error in the options, as opposed to one of the file system.
type RequestError struct{ Err error }

// Error returns the text of Err.
func (e *RequestError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *RequestError) Unwrap() error { return e.Err }

func request(format string, args ...any) error {
	return &RequestError{fmt.Errorf(format, args...)}
}

type fields struct {
	Type
	ID, Name, Org, Description string
	Executable                 string
	GoModule                   string
	Date                       string
	Backend                    bool
	Profile                    Profile
	HasSchema                  bool
	Range                      string // of versions of the host
	Nested                     string // directory below src and pkg of the app that contains the plugin, or ""
	Slipway                    Module
}

// Limits of an id and of the texts, in bytes. The file name of an executable contains a
// part of the id and a platform, and most file systems limit it to 255 bytes.
const (
	maxID   = 128
	maxText = 1024
)

var idForm = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// CheckType returns the named type.
func CheckType(name string) (Type, error) {
	for _, t := range Types() {
		if t.Name == name {
			return t, nil
		}
	}
	return Type{}, &RequestError{nearest.Unknown("plugin type", name, TypeNames())}
}

// InvalidID is the error for an id that has another form, with a similar one that has it.
type InvalidID struct{ Type, ID, Suggestion string }

// Error returns what is wrong, and the suggestion.
func (e *InvalidID) Error() string {
	return fmt.Sprintf("invalid plugin id %q; use <org>-<name>-%s in lowercase letters and digits, such as %s", e.ID, e.Type, e.Suggestion)
}

// CheckID returns an error unless id has the form <org>-<name>-<type>.
func CheckID(pluginType, id string) error {
	if len(id) > maxID {
		return request("the plugin id has %d characters; use at most %d", len(id), maxID)
	}
	if isID(pluginType, id) {
		return nil
	}
	words := strings.FieldsFunc(strings.ToLower(id), func(r rune) bool { return strings.ContainsRune(" -_./", r) })
	if len(words) > 0 && slices.Contains(TypeNames(), words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	if len(words) == 1 {
		words = []string{"acme", words[0]}
	}
	suggestion := strings.Join(append(words, pluginType), "-")
	if !isID(pluginType, suggestion) {
		suggestion = "acme-hello-" + pluginType
	}
	return &RequestError{&InvalidID{pluginType, id, suggestion}}
}

func isID(pluginType, id string) bool {
	parts := strings.Split(id, "-")
	return idForm.MatchString(id) && len(parts) >= 3 && parts[len(parts)-1] == pluginType
}

// DefaultProfile is the profile of plugins that run in every host.
const DefaultProfile = "both"

// CheckProfile returns the named profile; "" is DefaultProfile.
func CheckProfile(name string) (Profile, error) {
	name = cmp.Or(name, DefaultProfile)
	for _, p := range Profiles() {
		if p.Name == name {
			return p, nil
		}
	}
	return Profile{}, &RequestError{nearest.Unknown("profile", name, ProfileNames())}
}

// CheckText returns an error unless a name, an author or a description is a single line.
func CheckText(what, text string) error {
	switch {
	case !utf8.ValidString(text):
		return request("the %s must be valid UTF-8", what)
	case len(text) > maxText:
		return request("the %s has %d bytes; use at most %d", what, len(text), maxText)
	case strings.ContainsFunc(text, isControl):
		return request("the %s must be a single line without control characters", what)
	case strings.TrimSpace(text) == "":
		return request("the %s must not be blank", what)
	}
	return nil
}

// isControl reports whether a character breaks lines or changes the direction of a text.
func isControl(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}

// check validates the options and fills in the defaults.
func check(o Options) (fields, error) {
	t, err := CheckType(o.Type)
	if err != nil {
		return fields{}, err
	}
	if err := CheckID(o.Type, o.ID); err != nil {
		return fields{}, err
	}
	profile, err := CheckProfile(o.Profile)
	if err != nil {
		return fields{}, err
	}
	parts := strings.Split(o.ID, "-")
	middle := parts[1 : len(parts)-1]
	f := fields{
		Type: t, ID: o.ID, Name: o.Name, Org: o.Org, Description: o.Description,
		Executable: "gpx_" + strings.Join(middle, "_"),
		GoModule:   "github.com/" + parts[0] + "/" + o.ID,
		Date:       o.Today.Format(time.DateOnly),
		Backend:    t.HasBackend,
		Profile:    profile,
		HasSchema:  o.Schema != nil,
		Range:      ">=10.3.0",
		Slipway:    o.Slipway,
	}
	if o.Backend != nil && *o.Backend != t.HasBackend {
		if !t.BackendOptional {
			return fields{}, request("a plugin of type %s always has a backend", t.Name)
		}
		f.Backend = *o.Backend
	}
	switch bundle.Type(t.Name) {
	case bundle.TypeRenderer:
		f.Executable = bundle.RendererExecutable
	case bundle.TypeSecretsManager:
		f.Executable = bundle.SecretsManagerExecutable
	}
	f.Org = cmp.Or(f.Org, parts[0])
	f.Name = cmp.Or(f.Name, DefaultName(o.ID))
	f.Description = cmp.Or(f.Description, f.Name+", "+t.noun+".")
	for _, field := range [][2]string{{"name", f.Name}, {"org", f.Org}, {"description", f.Description}} {
		if err := CheckText(field[0], field[1]); err != nil {
			return fields{}, err
		}
	}
	if f.Name == f.ID {
		return fields{}, request("the name must not be the id %q; users see the name", f.ID)
	}
	return f, nil
}

// Keyword returns the type in words, such as "data source".
func (f fields) Keyword() string {
	_, words, _ := strings.Cut(f.noun, " ")
	return words
}

// DefaultName derives the name of a plugin from a valid id: "Round Gauge" from
// acme-round-gauge-panel.
func DefaultName(id string) string {
	words := strings.Split(id, "-")
	words = words[1 : len(words)-1]
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, " ")
}
