package config

import (
	"encoding/json"
	"path/filepath"
	"regexp"

	"go.yaml.in/yaml/v3"
)

// Frontend is "frontend": what Slipway's bundler replaces, or the repository's own bundler. The zero
// value is the default.
type Frontend struct {
	Command string // for the shell; "" uses Slipway's bundler
	Dir     string // that the command writes to, a slash path relative to the plugin repository; "" is dist

	Substitutions
}

// Substitutions are what a bundler puts in the place of modules and of names that code does not
// declare.
type Substitutions struct {
	// Alias has modules by what imports name. A value that begins with ./ is a path relative to the plugin
	// repository, and "" is an empty module.
	Alias  map[string]string `json:"alias,omitempty"`
	Define map[string]string `json:"define,omitempty"` // literals of JavaScript by names such as process.env.MODE
	Inject map[string]Export `json:"inject,omitempty"` // by names such as Buffer
	Loader map[string]string `json:"loader,omitempty"` // one of Loaders by extension, such as .hdr
}

// Export is an export of a module.
type Export struct {
	Module string `json:"module"`
	Name   string `json:"name"` // "default" is also the whole of a CommonJS module
}

func frontendKeys() []string {
	return []string{"command", "dir", "alias", "define", "inject", "loader"}
}

// Loaders returns how files can be loaded: as the URL of a file, as text, as a URL with the contents, as data, as an
// empty module, or as code.
func Loaders() []string {
	return []string{"file", "text", "dataurl", "json", "empty", "js", "ts", "tsx", "css"}
}

func (p *parser) frontend(n *yaml.Node) {
	f, before := &p.config.Frontend, len(p.errs)
	for _, e := range p.mapping(n, `"frontend"`, frontendKeys()) {
		switch e.key.Value {
		case "command":
			f.Command, _ = p.text(e)
		case "dir":
			f.Dir = p.relativePath(e)
			if f.Dir == "." || !filepath.IsLocal(filepath.FromSlash(f.Dir)) && f.Dir != "" {
				p.error(e.value, "\"dir\" must be a directory in the plugin repository, such as build")
			}
		case "alias":
			f.Alias = p.aliases(e)
		case "define":
			f.Define = p.definitions(e)
		case "inject":
			f.Inject = p.injections(e)
		case "loader":
			f.Loader = p.loaders(e)
		}
	}
	isReplacing := f.Alias != nil || f.Define != nil || f.Inject != nil || f.Loader != nil
	switch {
	case len(p.errs) > before:
	case f.Command == "" && (f.Dir != "" || !isReplacing):
		p.error(n, "\"frontend\" must have a \"command\", such as npm run build")
	case f.Command != "" && isReplacing:
		p.error(n, "\"alias\", \"define\", \"inject\" and \"loader\" are for Slipway's bundler: delete them, or \"command\"")
	}
}

// aliases parses what imports stand for. The value false is an empty module.
func (p *parser) aliases(e entry) map[string]string {
	all := map[string]string{}
	for _, of := range p.mapping(e.value, `"alias"`, nil) {
		if of.value.ShortTag() == "!!bool" && !p.boolean(of) {
			all[of.key.Value] = ""
		} else if to, ok := p.text(of); ok {
			all[of.key.Value] = to
		}
	}
	return all
}

var (
	globalName = regexp.MustCompile(`^[\pL_$][\pL\d_$]*$`)
	memberName = regexp.MustCompile(`^[\pL_$][\pL\d_$]*(\.[\pL_$][\pL\d_$]*)*$`)
)

// IsMember reports whether Define may have a name: one such as DEBUG or process.env.MODE.
func IsMember(name string) bool { return memberName.MatchString(name) }

// definitions parses literals.
func (p *parser) definitions(e entry) map[string]string {
	all := map[string]string{}
	for _, of := range p.mapping(e.value, `"define"`, nil) {
		var value any
		switch {
		case !IsMember(of.key.Value):
			p.error(of.key, "invalid name %q in \"define\": use a name such as DEBUG or process.env.MODE", of.key.Value)
		case of.value.Kind != yaml.ScalarNode || of.value.Decode(&value) != nil:
			p.error(of.value, "%q must be a string, a number, a boolean or null, found %s", of.key.Value, kind(of.value))
		default:
			literal, err := json.Marshal(value)
			if err != nil {
				p.error(of.value, "%q must be a string, a number, a boolean or null", of.key.Value)
			}
			all[of.key.Value] = string(literal)
		}
	}
	return all
}

// extension matches the extension of a file.
var extension = regexp.MustCompile(`^\.[a-z0-9_-]+$`)

func (p *parser) loaders(e entry) map[string]string {
	all := map[string]string{}
	for _, of := range p.mapping(e.value, `"loader"`, nil) {
		if !extension.MatchString(of.key.Value) {
			p.error(of.key, "invalid extension %q in \"loader\": use one such as .hdr, in lower case", of.key.Value)
		}
		all[of.key.Value] = p.oneOf(of, Loaders())
	}
	return all
}

// injections parses exports: the name of a module for its default export, or an array of that name
// and the name of an export.
func (p *parser) injections(e entry) map[string]Export {
	all := map[string]Export{}
	for _, of := range p.mapping(e.value, `"inject"`, nil) {
		if !globalName.MatchString(of.key.Value) {
			p.error(of.key, "invalid name %q in \"inject\": use a name such as Buffer", of.key.Value)
			continue
		}
		if of.value.Kind != yaml.SequenceNode {
			module, _ := p.text(of)
			all[of.key.Value] = Export{module, "default"}
			continue
		}
		items := p.strings(of)
		if len(items) != 2 || !globalName.MatchString(items[1].Value) {
			p.error(of.value, "%q must be a module, or an array of a module and the name of an export", of.key.Value)
			continue
		}
		all[of.key.Value] = Export{items[0].Value, items[1].Value}
	}
	return all
}
