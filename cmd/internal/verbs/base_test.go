package verbs

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/templates"
)

// TestCreatePlugin requires the arguments of the generator, and that what it would ignore is refused.
func TestCreatePlugin(t *testing.T) {
	t.Parallel()
	yes := true
	for want, o := range map[string]templates.Options{
		"--pluginType=datasource --hasBackend=true --pluginName=Tide --orgName=acme":       {Type: "datasource", ID: "acme-tide-datasource"},
		"--pluginType=panel --hasBackend=false --pluginName=High tide --orgName=Acme Inc.": {Type: "panel", ID: "acme-hightide-panel", Name: "High tide", Org: "Acme Inc.", Profile: "grafana"},
		"give a type and an id":                                  {},
		`did you mean "panel"?`:                                  {Type: "pannel", ID: "acme-tide-panel"},
		"invalid plugin id":                                      {Type: "panel", ID: "tide"},
		"use acme-hightide-app":                                  {Type: "app", ID: "acme-high-tide-app"},
		"create-plugin has no renderer":                          {Type: "renderer", ID: "acme-tide-renderer"},
		"create-plugin makes no backend for a panel":             {Type: "panel", ID: "acme-tide-panel", Backend: &yes},
		"leave out --into, --description, --force and --profile": {Type: "app", ID: "acme-tide-app", Profile: "both"},
	} {
		args, err := scaffoldOptions{Options: o, Face: Command, Base: createPlugin}.createPlugin()
		if err != nil && strings.Contains(err.Error(), want) {
			continue
		}
		if got := strings.TrimPrefix(strings.Join(args, " "), "--yes @grafana/create-plugin@latest generate "); err != nil || got != want {
			t.Errorf("%v: %s", err, cmp.Diff(want, got))
		}
	}
	if _, err := (scaffoldOptions{Face: Command, Base: "other"}).createPlugin(); err == nil || err.Error() != `unknown base "other"; use one of create-plugin` {
		t.Error(err)
	}
}
