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

func requiredField(p *validate.Pass) {
	var lacking []string
	for _, v := range schema.Violations(p, "required", "minLength") {
		if v.Keyword == "minLength" && v.Node.MinLength > 1 {
			continue // value-format reports the others
		}
		k := kindOfRequired(v)
		f := validate.Finding{Severity: k.in(p), Place: v.Place(p), Message: v.Message(p.Doc),
			Help: "write a value: " + v.Node.Description}
		if v.Keyword == "required" {
			if f.Severity == validate.Info && k != requiredInherited {
				lacking = append(lacking, fmt.Sprintf("%q", dotted(v.Pointer)))
				continue
			}
			_, key := schema.Parent(v.Pointer)
			node := v.Node.Properties[key]
			with := ""
			if len(node.Required) > 0 {
				with = ` with "` + strings.Join(node.Required, `" and "`) + `"`
			}
			f.Help = fmt.Sprintf("add %q, %s%s: %s", key, jsontype.Name(node.Types[0]), with, node.Description)
			if v.Pointer == inspect.RangePointer(p) {
				suggestRange(p, &f)
			}
		}
		if k == requiredInherited && p.IsNested {
			f.Message = fmt.Sprintf("the nested plugin has no %q and takes that of the plugin around it", dotted(v.Pointer))
			f.Help = "add the key if they differ"
		}
		p.Report(f)
	}
	reportLacking(p, lacking)
}

// kindOfRequired returns the kind of a missing or empty key. Hosts take the version and the date of a nested
// plugin from the plugin around it.
func kindOfRequired(v schema.Violation) kind {
	isEmpty := v.Keyword == "minLength"
	top, _, _ := strings.Cut(v.Pointer[1:], "/")
	switch {
	case top == "roles", top == "iam":
		return requiredOfRole
	case top == "routes", top == "includes", top == "extensions":
		return requiredOfRoute
	case top == "dependencies":
		return requiredDependency
	case v.Pointer == "/info":
		return requiredInfo
	case v.Pointer == "/info/version", v.Pointer == "/info/updated":
		return requiredInherited
	case strings.HasPrefix(v.Pointer, "/info/logos") && isEmpty:
		return emptyLogo
	case strings.HasPrefix(v.Pointer, "/info/logos"):
		return requiredLogo
	case top == "info":
		return requiredOfInfo
	case v.Pointer == "/name" && isEmpty:
		return emptyName
	}
	return ordinary
}

func dotted(pointer string) string { return strings.ReplaceAll(pointer[1:], "/", ".") }

func inTop(pointer, key string) bool { return strings.HasPrefix(pointer+"/", "/"+key+"/") }

// reportLacking reports the keys that a nested plugin lacks, in one finding.
func reportLacking(p *validate.Pass, keys []string) {
	if len(keys) == 0 {
		return
	}
	at := ""
	if p.Doc.Has("/info") {
		at = "/info"
	}
	p.Report(validate.Finding{
		Severity: requiredOfInfo.in(p),
		Place:    p.Opening(at),
		Message:  "the nested plugin has no " + schema.Either(keys),
		Help:     "add the keys, so that lists of plugins can show them",
	})
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
