package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/schema"
)

func iamAction(p *validate.Pass) {
	for _, permission := range p.Doc.Items("/iam/permissions") {
		checkKnownAction(p, permission+"/action")
		checkScope(p, permission)
	}
	for _, list := range []string{"/routes", "/includes"} {
		key := map[string]string{"/routes": "/reqAction", "/includes": "/action"}[list]
		for _, item := range p.Doc.Items(list) {
			checkKnownAction(p, item+key)
		}
	}
}

// checkKnownAction reports an action that the host does not know: a misspelled one, or one of a resource of
// the host. Any other may be that of a plugin. Grafana has more actions, so that there only a
// misspelled resource is certain.
func checkKnownAction(p *validate.Pass, pointer string) {
	action, ok := p.Doc.Text(pointer)
	known := access.Actions()
	id, _ := p.Doc.Text("/id")
	if !ok || action == "" || slices.Contains(known, action) || id != "" && strings.HasPrefix(action, id) {
		return
	}
	var own []string // the actions of the resource
	for _, k := range known {
		if access.Resource(k) == access.Resource(action) {
			own = append(own, k)
		}
	}
	near := nearest.Name(action, known)
	if nearest.Distance(access.Resource(action), access.Resource(near)) > 1 || len(own) > 0 && p.Profile.HasMoreActions {
		near = ""
	}
	f := validate.Finding{Place: p.Value(pointer), Message: fmt.Sprintf("unknown action %q", action)}
	switch {
	case near != "":
		f.Message += fmt.Sprintf("; did you mean %q?", near)
		f.Help = fmt.Sprintf("write %q", near)
	case len(own) > 0 && !p.Profile.HasMoreActions:
		f.Help = "write " + schema.Either(own)
	case !strings.Contains(action, ":") || strings.ContainsAny(action, " *"):
		f.Message = fmt.Sprintf("action %q must have the form resource:verb", action)
	default:
		return
	}
	p.Report(f)
}

// checkScope reports the scope of a permission that contains nothing on which the host checks the action.
func checkScope(p *validate.Pass, permission string) {
	action, _ := p.Doc.Text(permission + "/action")
	scope, _ := p.Doc.Text(permission + "/scope")
	prefixes := access.ScopesOf(action)
	if scope == "" || scope == "*" || len(prefixes) == 0 || !slices.Contains(access.Actions(), action) {
		return
	}
	for _, prefix := range prefixes {
		resource, _, _ := strings.Cut(prefix, ":")
		if scope == resource+":*" || strings.HasPrefix(scope, prefix) && scope != prefix {
			return
		}
	}
	isOther := p.Profile.HasMoreActions && strings.Contains(scope, ":") // such as datasources:name:x
	if isOther {
		return
	}
	p.Report(validate.Finding{
		Place:   p.Value(permission + "/scope"),
		Message: fmt.Sprintf("scope %q is not a scope of %q", scope, action),
		Help:    fmt.Sprintf("write %q, or %q with an identifier in place of *", access.Resource(prefixes[0])+":*", prefixes[0]+"*"),
	})
}
