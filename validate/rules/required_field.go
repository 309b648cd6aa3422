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
			`"extensions", for any key in "info" and "dependencies" of a nested plugin, and for a plugin name that is empty.`,
		Help: "add the key",
		Check: func(p *validate.Pass) {
			for _, v := range schema.Violations(p) {
				f := validate.Finding{Place: v.Place(p), Message: v.Message(p.Doc)}
				switch v.Keyword {
				case "required":
					_, key := schema.Parent(v.Pointer)
					node := v.Node.Properties[key]
					f.Help = fmt.Sprintf("add %q, %s: %s", key, jsontype.Name(node.Type), node.Description)
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
				if p.Profile.Name == "grafana" && !isRequiredByGrafana(p, v) {
					f.Severity = validate.Warning
				}
				p.Report(f)
			}
		},
	}
}

// isRequiredByGrafana reports whether Grafana or its published schema rejects a plugin
// with such a violation. The schema accepts an empty name, and roles and permissions without their
// keys. Grafana loads plugins whose routes, includes and extensions lack keys, and nested plugins
// without the keys that only the catalog reads.
func isRequiredByGrafana(p *validate.Pass, v schema.Violation) bool {
	top, _, _ := strings.Cut(v.Pointer[1:], "/")
	switch top {
	case "roles", "iam", "routes", "includes", "extensions":
		return false
	case "info", "dependencies":
		return !inspect.IsNested(p)
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
