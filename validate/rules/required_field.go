package rules

import (
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/bundle/ranges"
	"github.com/slipway-dev/slipway/internal/jsontype"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
	"github.com/slipway-dev/slipway/validate/schema"
)

func requiredField() validate.Rule {
	return validate.Rule{
		ID:       "required-field",
		Severity: validate.Error,
		Summary:  "missing or empty required key",
		Why: `The host and the catalog rely on these keys. Without them, the host rejects the plugin or shows it without its name, ` +
			`version or logo. In the grafana profile, the finding is a warning for any key in "roles", "iam", "routes", "includes" and ` +
			`"extensions", and for a plugin name that is empty. What a nested plugin lacks in "info" and does not inherit is one ` +
			`finding there, an info; in the preset catalog, missing logos are errors. A version and a date that a nested plugin ` +
			`inherits are infos.`,
		Help: "add the key",
		Check: func(p *validate.Pass) {
			var lacking []string
			for _, v := range schema.Violations(p) {
				if v.Keyword == "required" && isOfCatalog(p, v.Pointer) {
					lacking = append(lacking, v.Pointer)
					continue
				}
				f := validate.Finding{Place: v.Place(p), Message: v.Message(p.Doc)}
				switch v.Keyword {
				case "required":
					_, key := schema.Parent(v.Pointer)
					node := v.Node.Properties[key]
					f.Help = fmt.Sprintf("add %q, %s%s: %s", key, jsontype.Name(node.Types[0]), withKeys(node.Required), node.Description)
					if v.Pointer == inspect.RangePointer(p) {
						suggestRange(p, &f)
					}
				case "minLength":
					if v.Node.MinLength > 1 {
						continue // value-format reports it
					}
					f.Help = "write a value: " + v.Node.Description
				default:
					continue
				}
				switch {
				case v.Keyword == "required" && inspect.IsNested(p) && isInherited(v.Pointer):
					f.Severity = validate.Info
					f.Message = fmt.Sprintf("the nested plugin has no %q and takes that of the plugin around it", dotted(v.Pointer))
					f.Help = "add the key if they differ"
				case p.Profile.Name == "grafana" && !isRequiredByGrafana(p, v):
					f.Severity = validate.Warning
				}
				p.Report(f)
			}
			reportLacking(p, lacking)
		},
	}
}

// withKeys returns " with " and the keys that an object needs, or "".
func withKeys(keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	return ` with "` + strings.Join(keys, `" and "`) + `"`
}

// isOfCatalog reports whether only the catalog reads a key, of a nested plugin for existing hosts. The
// catalog requires the logos.
func isOfCatalog(p *validate.Pass, pointer string) bool {
	if p.Profile.Name != "grafana" || !inspect.IsNested(p) || p.IsCatalog && (pointer == "/info" || strings.HasPrefix(pointer, "/info/logos")) {
		return false
	}
	return inTop(pointer, "info") || inTop(pointer, "dependencies")
}

// isInherited reports whether hosts take a key of a nested plugin from the plugin around it.
func isInherited(pointer string) bool {
	return pointer == "/info/version" || pointer == "/info/updated"
}

func dotted(pointer string) string { return strings.ReplaceAll(pointer[1:], "/", ".") }

func inTop(pointer, key string) bool { return strings.HasPrefix(pointer+"/", "/"+key+"/") }

// reportLacking reports the keys that a nested plugin lacks, in one finding. It has the version, the date
// and the dependencies of the plugin around it.
func reportLacking(p *validate.Pass, pointers []string) {
	var keys []string
	for _, pointer := range pointers {
		if !isInherited(pointer) && !inTop(pointer, "dependencies") {
			keys = append(keys, fmt.Sprintf("%q", dotted(pointer)))
		}
	}
	if len(keys) == 0 {
		return
	}
	at := ""
	if p.Doc.Has("/info") {
		at = "/info"
	}
	p.Report(validate.Finding{
		Severity: validate.Info,
		Place:    p.Opening(at),
		Message:  "the nested plugin has no " + schema.Either(keys),
		Help:     "add the keys, so that lists of plugins can show them",
	})
}

// isRequiredByGrafana reports whether Grafana or its published schema rejects a plugin
// with such a violation. The schema accepts an empty name, and roles and permissions without their
// keys. Grafana loads plugins whose routes, includes and extensions lack keys, and nested plugins
// without the keys that only the catalog reads.
func isRequiredByGrafana(p *validate.Pass, v schema.Violation) bool {
	top, _, _ := strings.Cut(v.Pointer[1:], "/")
	switch top {
	case "roles", "iam":
		return false
	case "routes", "includes", "extensions":
		return p.IsCatalog && !inspect.IsNested(p)
	case "info", "dependencies":
		return !inspect.IsNested(p) || p.IsCatalog && strings.HasPrefix(v.Pointer, "/info/logos")
	}
	return v.Pointer != "/name" || v.Keyword != "minLength"
}

// suggestRange derives the missing range of service versions from the deprecated key.
func suggestRange(p *validate.Pass, f *validate.Finding) {
	legacy := "/dependencies/" + p.Profile.LegacyDependencyKey
	if !p.Doc.Has(legacy) {
		return
	}
	text, _ := p.Doc.Text(legacy)
	if r, err := ranges.Parse(text); err == nil && r.IsSatisfiable() {
		lowest, _ := r.Lowest()
		f.Help = fmt.Sprintf(`add %q: ">=%s" if the plugin also works with later versions`, p.Profile.DependencyKey, lowest)
	}
	f.Related = []validate.Related{{Place: p.Value(legacy), Message: "the deprecated key is here"}}
}
