package shared

import (
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle/ranges"
)

// all is the range of a module that every version in the table provides.
const all = "*"

// JSXRuntime is the range of versions that provide react/jsx-runtime: pull request 108478 of
// https://github.com/grafana/grafana, with the backports 117500 to 117503.
const JSXRuntime = ">=11.6.11 <12 || >=12.0.10 <12.1 || >=12.1.7 <12.2 || >=12.2.5 <12.3 || >=12.3.0"

// modules has what hosts provide for plugins, and which versions do. Pull requests of
// https://github.com/grafana/grafana say since when: 55297 for @emotion/react, with the backports 55398 to 55400;
// 66921 for react-router; 76191 for i18next and react-inlinesvg; 97080 and 101547 for the modules below unstable;
// 108478 for the JSX runtime; 118852 for the parts of react-dom. Angular is gone since 12.0. Of any other module,
// nothing is known.
func modules() map[string]string {
	return map[string]string{
		"@emotion/css": all, "emotion": all, "@emotion/react": ">=8.5.13 <9 || >=9.0.9 <9.1 || >=9.1.6",
		"@grafana/data": all, "@grafana/runtime": all, "@grafana/ui": all,
		"@grafana/data/unstable": ">=11.6.0", "@grafana/runtime/unstable": ">=11.6.0", "@grafana/ui/unstable": ">=11.6.0",
		"d3": all, "jquery": all, "lodash": all, "moment": all, "prismjs": all,
		"i18next": ">=10.2.0", "react-inlinesvg": ">=10.2.0", "react-router": ">=10.0.0",
		"react": all, "react-dom": all, "react-redux": all, "redux": all, "react-router-dom": all,
		"react-dom/client": ">=13.0.0", "react-dom/server": ">=13.0.0",
		"react/jsx-runtime": JSXRuntime, "react/jsx-dev-runtime": JSXRuntime,
		"rxjs": all, "rxjs/operators": all, "slate": all, "slate-plain-serializer": all, "slate-react": all,
		"@grafana/slate-react": all, "angular": "<12.0.0", "app/plugins/sdk": "<12.0.0",
	}
}

// Providers returns the range of the versions that provide a module. ok is false if nothing is known of
// the module.
func Providers(module string) (r ranges.Range, text string, ok bool) {
	text = modules()[module]
	r, err := ranges.Parse(text)
	return r, text, err == nil
}

// IsOurs reports whether a module is one of the host's own, all of whose names the table has.
func IsOurs(module string) bool { return strings.HasPrefix(module, "@grafana/") }

// IsAdded reports whether hosts add a name of @grafana/data to @grafana/ui, for plugins from before 6.5.
func IsAdded(module, name string) bool {
	return module == "@grafana/ui" && slices.Contains([]string{"PanelPlugin", "DataSourcePlugin", "AppPlugin", "DataSourceApi"}, name)
}
