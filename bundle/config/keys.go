package config

import (
	"path"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/bundle"
)

func topKeys() []string {
	return []string{"profile", "strict", "rules", "suppress", "generate", "backend", "frontend", "preview"}
}

func suppressionKeys() []string { return []string{"rule", "file", "pointer", "reason"} }

func expectedKeys() []string { return []string{"view", "text", "reason"} }

func severities() []string {
	return []string{"error", "warning", "info", "off"}
}

func profiles() []string {
	var names []string
	for _, p := range bundle.Profiles() {
		names = append(names, p.Name)
	}
	return names
}

func (p *parser) root(n *yaml.Node) {
	for _, e := range p.mapping(n, FileName, topKeys()) {
		if e.value.Kind == yaml.ScalarNode && e.value.ShortTag() == "!!null" {
			continue // a key without a value
		}
		switch e.key.Value {
		case "profile":
			p.config.Profile = p.oneOf(e, profiles())
		case "strict":
			p.config.IsStrict = p.boolean(e)
		case "rules":
			p.config.Severities = map[string]string{}
			for _, r := range p.mapping(e.value, `"rules"`, append([]string{"preset"}, p.rules...)) {
				if r.key.Value == "preset" {
					p.config.IsCatalog = p.oneOf(r, []string{"catalog"}) != ""
				} else if s := p.oneOf(r, severities()); s != "" {
					p.config.Severities[r.key.Value] = s
				}
			}
		case "suppress":
			p.suppressions(e.value)
		case "generate":
			p.config.Generate, _ = p.text(e)
		case "backend":
			p.backend(e.value)
		case "frontend":
			p.frontend(e.value)
		case "preview":
			for _, e := range p.mapping(e.value, `"preview"`, []string{"expected"}) {
				p.expected(e.value)
			}
		}
	}
}

func (p *parser) expected(list *yaml.Node) {
	if list.Kind != yaml.SequenceNode {
		p.error(list, "\"expected\" must be an array of objects with a view, a text and a reason, found %s", kind(list))
		return
	}
	for _, item := range list.Content {
		var one ExpectedProblem
		parts := map[string]*string{"view": &one.View, "text": &one.Text, "reason": &one.Reason}
		for _, e := range p.mapping(item, "the expected problem", expectedKeys()) {
			*parts[e.key.Value], _ = p.text(e)
		}
		if one.Text == "" || one.Reason == "" {
			p.error(item, "the expected problem must have a \"text\" that it contains, and a \"reason\" for accepting it")
		}
		p.config.Expected = append(p.config.Expected, one)
	}
}

func (p *parser) suppressions(list *yaml.Node) {
	if list.Kind != yaml.SequenceNode {
		p.error(list, "\"suppress\" must be an array of objects with a rule and a reason, found %s", kind(list))
		return
	}
	for _, item := range list.Content {
		before := len(p.errs)
		s := p.suppression(item)
		if len(p.errs) == before {
			p.config.Suppressions = append(p.config.Suppressions, s)
		}
	}
}

func (p *parser) suppression(item *yaml.Node) (s Suppression) {
	before := len(p.errs)
	for _, e := range p.mapping(item, "the suppression", suppressionKeys()) {
		text, ok := p.text(e)
		if !ok {
			continue
		}
		switch e.key.Value {
		case "rule":
			s.Rule = p.oneOf(e, p.rules)
			s.Line, s.Column, s.EndColumn = e.value.Line, e.value.Column, endColumn(e.value)
		case "file":
			if s.File = strings.TrimPrefix(text, "./"); !isGlob(s.File) {
				p.error(e.value, "\"file\" must be a slash-separated path relative to %s, such as src/plugin.json or **/plugin.json", FileName)
			}
		case "pointer":
			if s.Pointer = text; !strings.HasPrefix(text, "/") {
				p.error(e.value, "\"pointer\" must start with a slash, such as /info/version or /info/*")
			}
		case "reason":
			s.Reason = strings.TrimSpace(text)
		}
	}
	if len(p.errs) > before {
		return s
	}
	if s.Rule == "" {
		p.error(item, "the suppression must have a \"rule\"")
	}
	if s.Reason == "" {
		p.error(item, "the suppression must have a \"reason\" for keeping the finding")
	}
	return s
}

// isGlob reports whether a text is a glob of relative slash paths.
func isGlob(text string) bool {
	_, err := path.Match(text, "")
	return err == nil && !strings.HasPrefix(text, "/") && !strings.Contains(text, `\`)
}

// endColumn returns the first column after a scalar on one line.
func endColumn(n *yaml.Node) int {
	width := utf8.RuneCountInString(n.Value)
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		width += 2
	}
	return n.Column + width
}
