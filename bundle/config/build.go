package config

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/bundle"
)

func backendKeys() []string {
	return []string{"main", "tags", "ldflags", "env", "cgo", "platforms", "check"}
}

func (p *parser) backend(n *yaml.Node) {
	b := &p.config.Backend
	for _, e := range p.mapping(n, `"backend"`, backendKeys()) {
		switch e.key.Value {
		case "main":
			b.Main = p.mainPackages(e)
		case "tags":
			for _, tag := range p.strings(e) {
				if !tagPattern.MatchString(tag.Value) {
					p.error(tag, "invalid build tag %q: use letters, digits, underscores and dots", tag.Value)
				}
				b.Tags = append(b.Tags, tag.Value)
			}
		case "ldflags":
			b.LDFlags, _ = p.text(e)
		case "env":
			b.Env = p.environment(e.value)
		case "cgo":
			b.Cgo = p.boolean(e)
		case "platforms":
			b.Platforms = p.platforms(e)
		case "check":
			b.SkipCheck = !p.boolean(e)
		}
	}
}

// mainPackages parses a directory, or an object that maps plugin ids to directories.
func (p *parser) mainPackages(e entry) map[string]string {
	if e.value.Kind == yaml.MappingNode {
		dirs := map[string]string{}
		for _, of := range p.mapping(e.value, `"main"`, nil) {
			dirs[of.key.Value] = p.relativePath(of)
		}
		return dirs
	}
	if e.value.Kind != yaml.ScalarNode {
		p.error(e.value, "\"main\" must be a directory, or an object that maps plugin ids to directories, found %s", kind(e.value))
		return nil
	}
	return map[string]string{"": p.relativePath(e)}
}

// relativePath returns a slash-separated relative path, or "" after an error.
func (p *parser) relativePath(e entry) string {
	text, ok := p.text(e)
	if !ok {
		return ""
	}
	if path.IsAbs(text) || filepath.IsAbs(text) || strings.Contains(text, `\`) {
		p.error(e.value, "%q must be a slash-separated relative path", e.key.Value)
		return ""
	}
	return path.Clean(text)
}

func (p *parser) strings(e entry) (items []*yaml.Node) {
	if e.value.Kind != yaml.SequenceNode {
		p.error(e.value, "%q must be an array of strings, found %s", e.key.Value, kind(e.value))
		return nil
	}
	for _, item := range e.value.Content {
		if item.Kind != yaml.ScalarNode || item.ShortTag() != "!!str" {
			p.error(item, "%q must contain strings only, found %s", e.key.Value, kind(item))
			continue
		}
		items = append(items, item)
	}
	return items
}

// platforms parses all, host, or an array of os/arch.
func (p *parser) platforms(e entry) (list []bundle.Platform) {
	items := []*yaml.Node{e.value}
	if e.value.Kind == yaml.SequenceNode {
		if items = p.strings(e); len(e.value.Content) == 0 {
			p.error(e.value, "\"platforms\" must not be empty")
		}
	} else if _, ok := p.text(e); !ok {
		return nil
	}
	for _, item := range items {
		platforms, err := []bundle.Platform(nil), error(nil)
		if item.Value == "" { // which ParsePlatforms reads as all
			p.error(item, "\"platforms\" must not contain an empty string")
		} else if platforms, err = bundle.ParsePlatforms(item.Value); err != nil {
			p.error(item, "%v", err)
		}
		for _, platform := range platforms {
			if !slices.Contains(list, platform) {
				list = append(list, platform)
			}
		}
	}
	return list
}

var (
	tagPattern      = regexp.MustCompile(`^[A-Za-z0-9_.]+$`)
	variablePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// refusedVariables returns the reasons why variables must not be set, by name.
func refusedVariables() map[string]string {
	return map[string]string{
		"GOOS":        `the build sets it for each of "platforms"`,
		"GOARCH":      `the build sets it for each of "platforms"`,
		"CGO_ENABLED": `set "cgo" instead`,
		"GOFLAGS":     `set "tags" and "ldflags" instead`,
		"GO111MODULE": "the build needs modules",
	}
}

// environment parses the variables for the compiler. Its errors never contain a value.
func (p *parser) environment(n *yaml.Node) (env []string) {
	refused := refusedVariables()
	for _, e := range p.mapping(n, `"env"`, nil) {
		name := e.key.Value
		switch reason := refused[strings.ToUpper(name)]; {
		case reason != "":
			p.error(e.key, "%q must not be in \"env\": %s", name, reason)
		case !variablePattern.MatchString(name):
			p.error(e.key, "invalid name %q of an environment variable: use letters, digits and underscores", name)
		case e.value.Kind != yaml.ScalarNode || e.value.ShortTag() == "!!null":
			p.error(e.value, "%q must be a string, found %s", name, kind(e.value))
		case strings.Contains(e.value.Value, "\x00"):
			p.error(e.value, "%q must not contain a NUL character", name)
		default:
			env = append(env, name+"="+e.value.Value)
		}
	}
	slices.Sort(env)
	return env
}
