package rules

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing/fstest"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

// ruleMutants returns the mutants of rules that a schema cannot express.
func ruleMutants() []mutant {
	const (
		value, key, opening, inside, text = "value", "key", "value", "parent", "text"
		linux                             = "gpx_tide_linux_amd64"
		source, zip                       = validate.Source, validate.Zip
	)
	return []mutant{
		{name: "byte order mark", mutate: func(p *plugin) { p.write("plugin.json", inspect.BOM+completeApp) }, rule: "json-bom", at: value},
		{name: "Latin-1", mutate: replaceText("plugin.json", "Tide", "Tid\xe9"), rule: "json-bom", at: text, what: "\xe9", also: "json-syntax"},
		{name: "UTF-16", mutate: func(p *plugin) { p.write("plugin.json", "\xff\xfe{\x00}\x00") }, rule: "json-bom"},
		{name: "trailing comma", mutate: replaceText("plugin.json", `"tide", "sea"`, `"tide", "sea",`), rule: "json-syntax", at: text, what: `,],`},
		{name: "comment", mutate: replaceText("plugin.json", `  "state"`, "  // not ready\n  \"state\""), rule: "json-syntax", at: text, what: "// not"},
		{name: "missing comma", mutate: replaceText("plugin.json", `"app",`, `"app"`), rule: "json-syntax", at: text, what: "\n  \"autoEnabled\""},
		{name: "duplicate key", mutate: replaceText("plugin.json", `  "state"`, "  \"preload\": true,\n  \"state\""), rule: "json-duplicate-key", at: text, what: "\"preload\": true,\n  \"state\""},
		{name: "dist without plugin.json", mutate: dropFile("plugin.json", "datasource/plugin.json", "panel/plugin.json"), rule: "meta-missing"},

		{name: "unknown key at the top", mutate: set("/zebra", 1), rule: "unknown-field", at: key, what: "/zebra"},
		{name: "misspelled grant", mutate: renameIn("plugin.json", "/roles/0/grant", "grants"), rule: "unknown-field", at: key, what: "/roles/0/grants"},
		{name: "key of another profile", mutate: renameIn("plugin.json", "/dependencies/serviceDependency", "grafanaDependency"), rule: "unknown-field", at: key, what: "/dependencies/grafanaDependency"},
		{name: "misspelled required key", mutate: renameIn("plugin.json", "/info/keywords", "keyword"), rule: "unknown-field", at: key, what: "/info/keyword"},
		{name: "include of a secrets manager", mutate: set("/includes/0/type", "secretsmanager"), rule: "enum-value", at: value, what: "/includes/0/type"},
		{name: "role in lowercase", mutate: set("/includes/0/role", "viewer"), rule: "enum-value", at: value, what: "/includes/0/role"},
		{name: "unknown state", mutate: set("/state", "stable"), rule: "enum-value", at: value, what: "/state"},
		{name: "build number in quotes", mutate: set("/info/build/number", "7"), rule: "wrong-type", at: value, what: "/info/build/number"},
		{name: "array instead of an object", mutate: func(p *plugin) { p.write("panel/plugin.json", "[]") }, rule: "wrong-type", at: value, file: panelFile},
		{name: "no schema", form: source, mutate: removeIn("plugin.json", "/$schema"), rule: "schema-missing", at: value, file: "plugin.json", what: ""},

		{name: "id that no host mounts", mutate: set("/id", "acme tide-app"), rule: "id-format", at: value, what: "/id", also: "role-action-prefix"},
		{name: "id in uppercase", mutate: func(p *plugin) {
			p.write("plugin.json", strings.ReplaceAll(string(p.files["plugin.json"].Data), "acme-tide-app", "Acme-tide-app"))
		}, rule: "id-format", at: text, what: "Acme-tide-app"},
		{name: "id with two hyphens", mutate: setIn(panelFile, "/id", "acme--panel"), file: panelFile, rule: "id-format", at: value, what: "/id", also: "role-action-prefix"},
		{name: "id without an organization", mutate: setIn(panelFile, "/id", "panel"), file: panelFile, rule: "id-format", at: value, what: "/id", also: "role-action-prefix"},
		{name: "id of another type", mutate: setIn(panelFile, "/id", "acme-tide-clock"), file: panelFile, rule: "id-type-suffix", at: value, what: "/id"},
		{name: "id of another plugin", mutate: setIn(panelFile, "/id", "acme-tide-datasource"), file: panelFile, rule: "id-duplicate", at: value, what: "/id", also: "id-type-suffix"},
		{name: "id as name", mutate: setIn(panelFile, "/name", "acme-tide-panel"), file: panelFile, rule: "name-equals-id", at: value, what: "/name"},
		{name: "invalid version", mutate: set("/info/version", "1.2"), rule: "version-semver", at: value, what: "/info/version"},
		{name: "version with a v", mutate: set("/info/version", "v1.2.3"), rule: "version-semver", at: value, what: "/info/version"},
		{name: "version with trailing garbage", mutate: set("/info/version", "1.2.3garbage"), rule: "version-semver", at: value, what: "/info/version"},
		{name: "invalid date", mutate: set("/info/updated", "31.01.2026"), rule: "updated-date", at: value, what: "/info/updated"},
		{name: "date that does not exist", mutate: set("/info/updated", "2026-02-30"), rule: "updated-date", at: value, what: "/info/updated"},
		{name: "version of package.json", form: source, mutate: addFile("../package.json", `{"version": "9.9.9"}`), rule: "package-version-mismatch", at: value, what: "/info/version"},
		{name: "include of a plugin that does not exist", mutate: both(dropFile(panelFile, "panel/module.js"), removeIn("plugin.json", "/includes/3/path")), rule: "nested-declared", at: value, what: "/includes/3"},
		{name: "annotations of a nested data source", form: source, file: "datasource/ds.ts", mutate: both(removeIn(datasourceFile, "/annotations"), addFile("datasource/ds.ts", "class A extends DataSourceApi<B> {\n  annotations = {};\n}\n")), rule: "capability-missing", at: text, what: "annotations ="},
		{name: "blank description", mutate: set("/info/description", " "), rule: "description-empty", at: value, what: "/info/description"},
		{name: "no description", mutate: removeIn("plugin.json", "/info/description"), rule: "description-empty", at: inside, what: "/info/description"},
		{name: "no keywords", mutate: set("/info/keywords", raw("[]")), rule: "keywords-empty", at: value, what: "/info/keywords"},
		{name: "empty keyword", mutate: set("/info/keywords/1", ""), rule: "keywords-empty", at: value, what: "/info/keywords/1"},
		{name: "placeholder of the version", mutate: set("/info/version", "%VERSION%"), rule: "unresolved-placeholder", at: text, what: "%VERSION%"},
		{name: "placeholder of the day", mutate: set("/info/updated", "%TODAY%"), rule: "unresolved-placeholder", at: text, what: "%TODAY%"},
		{name: "placeholder of the id", form: zip, mutate: both(set("/info/description", "About %PLUGIN_ID%"), (*plugin).addManifest), rule: "unresolved-placeholder", at: text, what: "%PLUGIN_ID%"},
		{name: "text of a scaffold in plugin.json", mutate: set("/info/links/0/url", "https://github.com/your-org/tide"), rule: "scaffold-text", at: text, what: "https://github.com/your-org/tide"},
		{name: "text of a scaffold in README.md", mutate: addFile("README.md", "Hello\n\n# Grafana App Plugin Template\n"), file: "README.md", rule: "scaffold-text", at: text, what: "# Grafana"},
		{name: "another id than the scaffold", form: validate.Source, mutate: addFile("../.slipway-scaffold.json", `{"options":{"ID":"acme-x-app"}}`), rule: "scaffold-id", at: value, what: "/id"},

		{name: "invalid range", mutate: set("/dependencies/serviceDependency", ">=10.3.0, <11"), rule: "dependency-range-invalid", at: text, what: ", <11"},
		{name: "empty range", mutate: set("/dependencies/serviceDependency", ""), rule: "dependency-range-invalid", at: text, what: `",` + "\n    \"serviceVersion\""},
		{name: "=> instead of >=", mutate: setIn(panelFile, "/dependencies/serviceDependency", "=>10.3.0"), file: panelFile, rule: "dependency-range-invalid", at: text, what: "=>10"},
		{name: "unsatisfiable range", mutate: set("/dependencies/serviceDependency", ">11 <10.4"), rule: "dependency-range-unsatisfiable", at: value, what: "/dependencies/serviceDependency"},
		{name: "single version", mutate: set("/dependencies/serviceDependency", "=10.4.1"), rule: "dependency-range-single-version", at: value, what: "/dependencies/serviceDependency"},
		{name: "misspelled action", mutate: set("/iam/permissions/0/action", "dashboard:read"), rule: "iam-action", at: value, what: "/iam/permissions/0/action"},
		{name: "action that no route needs", mutate: set("/iam/permissions/0/action", "dashboards:update"), rule: "iam-action", at: value, what: "/iam/permissions/0/action"},
		{name: "scope of another resource", mutate: set("/iam/permissions/0/scope", "datasources:uid:x"), rule: "iam-action", at: value, what: "/iam/permissions/0/scope"},
		{name: "misspelled action of a page", mutate: set("/includes/0/action", "plugin.app:access"), rule: "iam-action", at: value, what: "/includes/0/action"},
		{name: "misspelled action of a route", file: datasourceFile, mutate: setIn(datasourceFile, "/routes/0/reqAction", "datasource:query"), rule: "iam-action", at: value, what: "/routes/0/reqAction"},
		{name: "dashboard without a uid", mutate: func(p *plugin) { p.write("dashboards/tides.json", `{"title": "Tides"}`) }, rule: "dashboard-invalid", at: value, what: "/includes/1/path"},
		{name: "patch releases only", mutate: set("/dependencies/serviceDependency", "10.4.x"), rule: "dependency-range-patch-only", at: value, what: "/dependencies/serviceDependency"},
		{name: "patch releases between bounds", mutate: set("/dependencies/serviceDependency", ">=10.4.0 <10.5.0"), rule: "dependency-range-patch-only", at: value, what: "/dependencies/serviceDependency"},
		{name: "dependency on itself", mutate: set("/dependencies/plugins/0/id", "acme-tide-app"), rule: "dependency-self", at: value, what: "/dependencies/plugins/0/id", also: "dependency-unknown-type"},
		{name: "dependency cycle", mutate: both(
			set("/dependencies/plugins/0/id", "acme-tide-panel"),
			setIn(panelFile, "/dependencies/plugins", raw(`[{"id": "acme-tide-app", "name": "Tide", "type": "app", "version": "1.x"}]`)),
		), rule: "dependency-cycle", at: value, what: "/dependencies/plugins/0/id", also: "dependency-cycle"},
		{name: "dependency of another type", mutate: set("/dependencies/plugins/0/id", "acme-tide-datasource"), rule: "dependency-unknown-type", at: value, what: "/dependencies/plugins/0/type"},
		{name: "dependency on a secrets manager", mutate: set("/dependencies/plugins/0/type", "secretsmanager"), rule: "dependency-unknown-type", at: value, what: "/dependencies/plugins/0/type"},

		{name: "iam below 10.3.0", mutate: set("/dependencies/serviceDependency", ">=10.2.9"), rule: "min-version-iam", at: key, what: "/iam"},
		{name: "roles below 9.4.0", mutate: both(removeIn("plugin.json", "/iam"), set("/dependencies/serviceDependency", ">=9.3.9")), rule: "min-version-roles", at: key, what: "/roles"},
		{name: "diagnostics below 7.5.5", mutate: both(removeIn("plugin.json", "/iam"), removeIn("plugin.json", "/roles"), set("/dependencies/serviceDependency", ">=7.5.4")), rule: "min-version-health-diagnostics", at: key, what: "/enterpriseFeatures/healthDiagnosticsErrors"},
		{name: "API keys from 12.1 on", mutate: both(allow(">=10.3.0"), set("/iam/permissions/0/action", "apikeys:read"), set("/iam/permissions/0/scope", "apikeys:id:1")),
			rule: "field-outside-range", at: value, what: "/iam/permissions/0/action"},
		{name: "no lower bound", mutate: both(removeIn("plugin.json", "/enterpriseFeatures"), removeIn("plugin.json", "/roles"), set("/dependencies/serviceDependency", "<12")), rule: "min-version-iam", at: key, what: "/iam"},

		{name: "panel with preload", mutate: setIn(panelFile, "/preload", true), file: panelFile, rule: "type-only-field", at: key, what: "/preload"},
		{name: "panel with autoEnabled", mutate: setIn(panelFile, "/autoEnabled", true), file: panelFile, rule: "type-only-field", at: key, what: "/autoEnabled"},
		{name: "app with skipDataQuery", mutate: set("/skipDataQuery", true), rule: "type-only-field", at: key, what: "/skipDataQuery"},
		{name: "app with queryOptions", mutate: set("/queryOptions", raw("{}")), rule: "type-only-field", at: key, what: "/queryOptions"},
		{name: "panel with routes", mutate: setIn(panelFile, "/routes", raw("[]")), file: panelFile, rule: "type-only-field", at: key, what: "/routes"},
		{name: "app with metrics", mutate: set("/metrics", true), rule: "type-only-field", at: key, what: "/metrics"},
		{name: "app with logs", mutate: set("/logs", true), rule: "type-only-field", at: key, what: "/logs"},
		{name: "app with annotations", mutate: set("/annotations", true), rule: "type-only-field", at: key, what: "/annotations"},
		{name: "app with streaming", mutate: set("/streaming", true), rule: "type-only-field", at: key, what: "/streaming"},
		{name: "app with tracing", mutate: set("/tracing", true), rule: "type-only-field", at: key, what: "/tracing"},
		{name: "app with alerting", mutate: set("/alerting", true), rule: "type-only-field", at: key, what: "/alerting"},
		{name: "app with category", mutate: set("/category", "iot"), rule: "type-only-field", at: key, what: "/category"},
		{name: "alerting without backend", mutate: both(removeIn(datasourceFile, "/backend"), removeIn(datasourceFile, "/executable")), file: datasourceFile, rule: "alerting-needs-backend", at: key, what: "/alerting"},
		{name: "alerting with the backend off", mutate: both(setIn(datasourceFile, "/backend", false), removeIn(datasourceFile, "/executable")), file: datasourceFile, rule: "alerting-needs-backend", at: key, what: "/alerting"},
		{name: "backend without executable", mutate: removeIn("plugin.json", "/executable"), rule: "backend-needs-executable", at: key, what: "/backend"},
		{name: "backend with an empty executable", mutate: set("/executable", ""), rule: "backend-needs-executable", at: value, what: "/executable"},
		{name: "directory as executable", mutate: set("/executable", "bin/"), rule: "backend-needs-executable", at: value, what: "/executable"},
		{name: "executable without backend", mutate: removeIn("plugin.json", "/backend"), rule: "executable-without-backend", at: key, what: "/executable"},
		{name: "renderer that existing hosts cannot start", form: source, mutate: both(set("/type", "renderer"), set("/dependencies/grafanaDependency", ">=10.3.0")), rule: "renderer-executable", at: value, what: "/executable", also: "id-type-suffix type-only-field nested-type"},
		{name: "executable with the backend off", mutate: set("/backend", false), rule: "executable-without-backend", at: key, what: "/executable"},

		{name: "action of another plugin", mutate: set("/roles/0/role/permissions/0/action", "dashboards:read"), rule: "role-action-prefix", at: value, what: "/roles/0/role/permissions/0/action"},
		{name: "action of a longer id", mutate: set("/roles/0/role/permissions/0/action", "acme-tide-apps:read"), rule: "role-action-prefix", at: value, what: "/roles/0/role/permissions/0/action"},
		{name: "route with a misspelled method", mutate: setIn(datasourceFile, "/routes/0/method", "GET, PSOT"), file: datasourceFile, rule: "route-invalid", at: text, what: "PSOT"},
		{name: "route with a relative URL", mutate: setIn(datasourceFile, "/routes/0/url", "example.org/api"), file: datasourceFile, rule: "route-invalid", at: value, what: "/routes/0/url"},
		{name: "route with an unclosed template", mutate: setIn(datasourceFile, "/routes/0/url", "https://example.org/{{ .JsonData.path"), file: datasourceFile, rule: "route-invalid", at: value, what: "/routes/0/url"},
		{name: "empty token URL", mutate: setIn(datasourceFile, "/routes/0/tokenAuth/url", ""), file: datasourceFile, rule: "route-invalid", at: value, what: "/routes/0/tokenAuth/url"},
		{name: "header without name", mutate: setIn(datasourceFile, "/routes/0/headers/0", raw(`{"X-Key": "1"}`)), file: datasourceFile, rule: "route-invalid", at: opening, what: "/routes/0/headers/0"},

		{name: "generated in source", form: source, mutate: set("/generated", raw(`{"extensions": []}`)), rule: "generated-in-source", at: key, what: "/generated"},
		{name: "broken generated in source", form: source, mutate: set("/generated", 1), rule: "generated-in-source", at: key, what: "/generated"},
		{name: "extension without extension point", mutate: set("/generated/extensions/0/extensionPointId", ""), rule: "generated-invalid", at: value, what: "/generated/extensions/0/extensionPointId"},
		{name: "duplicate extension", mutate: set("/generated/extensions", raw(`[{"extensionPointId": "a", "type": "link"}, {"extensionPointId": "a", "type": "link"}]`)), rule: "generated-invalid", at: opening, what: "/generated/extensions/1"},
		{name: "extension that the frontend does not register", mutate: addFile("module.js", "define(() => ({}));\n"), rule: "generated-stale", at: opening, what: "/generated/extensions/0"},
		{name: "component that the frontend does not register", mutate: set("/generated/extensions/0/type", "component"), rule: "generated-stale", at: opening, what: "/generated/extensions/0"},

		{name: "unlisted nested plugin", mutate: removeIn("plugin.json", "/includes/3"), rule: "nested-declared", at: key, what: "/includes"},
		{name: "no includes", mutate: both(removeIn("plugin.json", "/includes"), dropFile(panelFile)), rule: "nested-declared", at: value},
		{name: "include of a missing file", mutate: setIn("plugin.json", "/includes/3/path", "gauge/plugin.json"), rule: "nested-declared", at: value, what: "/includes/3/path"},
		{name: "nested app", mutate: both(setIn(panelFile, "/type", "app"), setIn(panelFile, "/id", "acme-inner-app"), removeIn(panelFile, "/skipDataQuery")), file: panelFile, rule: "nested-type", at: value, what: "/type"},
		{name: "nested renderer", mutate: both(setIn(panelFile, "/type", "renderer"), setIn(panelFile, "/id", "acme-inner-renderer"), removeIn(panelFile, "/skipDataQuery")), file: panelFile, rule: "nested-type", at: value, what: "/type"},

		{name: "path with a leading slash", mutate: set("/info/logos/small", "/img/logo.svg"), rule: "path-absolute", at: value, what: "/info/logos/small"},
		{name: "URL as path", mutate: set("/info/screenshots/0/path", "https://example.org/a.png"), rule: "path-absolute", at: value, what: "/info/screenshots/0/path"},
		{name: "path with a drive letter", mutate: set("/info/logos/large", `C:\logo.svg`), rule: "path-absolute", at: value, what: "/info/logos/large"},
		{name: "path with a backslash", mutate: set("/includes/1/path", `dashboards\tides.json`), rule: "path-absolute", at: value, what: "/includes/1/path"},
		{name: "path outside the plugin", mutate: set("/info/logos/small", "../logo.svg"), rule: "path-escape", at: value, what: "/info/logos/small"},
		{name: "executable outside the plugin", mutate: setIn(datasourceFile, "/executable", "../../gpx_tide"), file: datasourceFile, rule: "path-escape", at: value, what: "/executable"},
		{name: "logo behind a link that leaves the plugin", mutate: func(p *plugin) {
			p.files["img/logo2.svg"] = &fstest.MapFile{Data: []byte("../../secret.svg"), Mode: 0o777 | 1<<27}
			set("/info/logos/small", "img/logo2.svg")(p)
		}, rule: "path-escape", at: value, what: "/info/logos/small"},
		{name: "missing logo", mutate: set("/info/logos/small", "img/none.svg"), rule: "path-missing", at: value, what: "/info/logos/small"},
		{name: "logo that is a directory", mutate: set("/info/logos/small", "img"), rule: "path-missing", at: value, what: "/info/logos/small"},
		{name: "empty path of a logo", mutate: set("/info/logos/small", ""), rule: "path-missing", at: value, what: "/info/logos/small"},
		{name: "missing dashboard", mutate: dropFile("dashboards/tides.json"), rule: "path-missing", at: value, what: "/includes/1/path"},
		{name: "path in another case", mutate: set("/info/logos/small", "img/Logo.SVG"), rule: "path-case", at: value, what: "/info/logos/small"},
		{name: "directory in another case", mutate: set("/includes/1/path", "Dashboards/tides.json"), rule: "path-case", at: value, what: "/includes/1/path"},
		{name: "bitmap logo", mutate: set("/info/logos/large", "img/tides.png"), rule: "logo-not-svg", at: value, what: "/info/logos/large"},
		{name: "text as logo", mutate: addFile("img/large.svg", "hello"), rule: "logo-not-svg", at: value, what: "/info/logos/large"},
		{name: "script in a logo", mutate: replaceText("img/logo.svg", "<path", "<script/><path"), file: "img/logo.svg", rule: "svg-unsafe", at: text, what: "<script"},
		{name: "handler in a logo", mutate: replaceText("img/logo.svg", "<path", `<path onclick="run()"`), file: "img/logo.svg", rule: "svg-unsafe", at: text, what: "<path"},
		{name: "foreignObject in a logo", mutate: replaceText("img/logo.svg", "<path", `<foreignObject/><path`), file: "img/logo.svg", rule: "svg-unsafe", at: text, what: "<foreign"},
		{name: "javascript: URL in a logo", mutate: replaceText("img/logo.svg", "<path", `<a href="JavaScript:run()"/><path`), file: "img/logo.svg", rule: "svg-unsafe", at: text, what: "<a "},
		{name: "external image in a logo", mutate: replaceText("img/logo.svg", "<path", `<image href="//example.org/a.png"/><path`), file: "img/logo.svg", rule: "svg-unsafe", at: text, what: "<image"},
		{name: "external entity in a logo", mutate: replaceText("img/logo.svg", "<svg", "<!DOCTYPE svg [<!ENTITY f SYSTEM \"a\">]>\n<svg"), file: "img/logo.svg", rule: "svg-unsafe", at: text, what: "<!DOCTYPE"},
		{name: "nested entities in a logo", mutate: replaceText("img/logo.svg", "<svg", "<!DOCTYPE svg [<!ENTITY a \"b\"><!ENTITY c \"&a;&a;\">]>\n<svg"), file: "img/logo.svg", rule: "svg-unsafe", at: text, what: "<!DOCTYPE"},
		{name: "truncated logo", mutate: replaceText("img/logo.svg", "</svg>", "Z"), file: "img/logo.svg", rule: "svg-unsafe", at: text, what: "Z"},
		{name: "HTML as screenshot", mutate: addFile("img/tides.png", "<html></html>"), rule: "screenshot-type", at: value, what: "/info/screenshots/0/path"},
		{name: "empty screenshot", mutate: addFile("img/tides.png", ""), rule: "screenshot-type", at: value, what: "/info/screenshots/0/path"},

		{name: "no README.md", mutate: dropFile("README.md"), rule: "readme-missing"},
		{name: "empty README.md", mutate: addFile("README.md", "\n"), file: "README.md", rule: "readme-missing"},
		{name: "readme.md", mutate: both(dropFile("README.md"), addFile("readme.md", "# Tide")), rule: "readme-missing"},
		{name: "relative link", mutate: addFile("README.md", "# Tide\n\nSee [it](docs/it.md).\n"), file: "README.md", rule: "readme-relative-link", at: text, what: "docs/it.md"},
		{name: "relative link reference", mutate: addFile("README.md", "# Tide\n\nSee [it][1].\n\n[1]: docs/it.md\n"), file: "README.md", rule: "readme-relative-link", at: text, what: "docs/it.md"},
		{name: "relative image in HTML", mutate: addFile("README.md", "# Tide\n\n<img width=\"9\" src='img/tides.png'>\n"), file: "README.md", rule: "readme-relative-link", at: text, what: "img/tides.png"},
		{name: "no CHANGELOG.md", mutate: dropFile("CHANGELOG.md"), rule: "changelog-missing"},
		{name: "no license", mutate: dropFile("LICENSE"), rule: "license-missing"},

		{name: "no frontend", form: source, mutate: both(both(addFile("package.json", "{}"), dropFile("module.js")), both(dropFile(panelFile), dropFile(datasourceFile))),
			rule: "frontend-missing", at: value, what: "/type", also: "nested-declared"},
		{name: "no module.js", mutate: dropFile("module.js"), rule: "module-js-missing", at: value, what: "/type"},
		{name: "nested plugin without module.js", mutate: dropFile("panel/module.js"), file: panelFile, rule: "module-js-missing", at: value, what: "/type"},
		{name: "empty module.js", mutate: addFile("panel/module.js", ""), file: "panel/module.js", rule: "module-js-missing"},
		{name: "bundled script without source map", mutate: addFile("panel/module.js", strings.Repeat("a();", 1000)), file: "panel/module.js", rule: "sourcemap-missing"},
		{name: "missing source map", mutate: addFile("panel/module.js", "a();\n//# sourceMappingURL=module.js.map\n"), file: "panel/module.js", rule: "sourcemap-missing"},
		{
			name: "public signature with addresses", file: "MANIFEST.txt", rule: "manifest-scope", at: text, what: `"rootUrls"`,
			mutate: signWith(map[string]any{"rootUrls": []string{"https://example.org"}}),
		},
		{
			name: "signature for one machine", form: zip, file: "MANIFEST.txt", rule: "manifest-scope", at: text, what: `"rootUrls"`,
			mutate: signWith(map[string]any{"signatureType": "private", "rootUrls": []string{"http://localhost:3000/"}}),
		},
		{name: "frontend for Angular", mutate: addFile("panel/module.js", "a('app/plugins/sdk')\n"), file: "panel/module.js", rule: "angular-frontend", at: "text", what: "app/plugins"},
		{name: "tracking service", mutate: addFile("panel/module.js", "a('http://api.mixpanel.com/')\n"), file: "panel/module.js", rule: "tracking-host", at: "text", what: "api.mix"},
		{name: "bundle whose libraries see define", mutate: addFile("panel/module.js", "define([],function(){"+exposedWrapper+"}};\n\"function\"==typeof define&&define.amd\n"), file: "panel/module.js", rule: "bundle-outdated"},
		{name: "module that old hosts lack", mutate: addFile("panel/module.js", "define([\"react\",\"react/jsx-runtime\"],function(){})\n"), file: "panel/module.js", rule: "module-not-shared", at: "text", what: "react/jsx-runtime"},
		{name: "JSX runtime of React 18", mutate: addFile("panel/module.js", "a=b.__SECRET_INTERNALS_DO_NOT_USE_OR_YOU_WILL_BE_FIRED.ReactCurrentOwner,c={key:!0,ref:!0}\n"), file: "panel/module.js", rule: "react-runtime-bundled", at: "text", what: ".__SECRET_INTERNALS_DO_NOT_USE_OR_YOU_WILL_BE_FIRED.ReactCurrentOwner,c={key:!0,ref:"},
		{name: "no executable", mutate: func(p *plugin) {
			for _, platform := range bundle.AllPlatforms() {
				delete(p.files, platform.Executable("gpx_tide"))
			}
			removeIn(datasourceFile, "/executable")(p)
			removeIn(datasourceFile, "/backend")(p)
			removeIn(datasourceFile, "/alerting")(p)
		}, rule: "binary-missing", at: value, what: "/executable"},
		{name: "executable of the outer plugin", mutate: setIn(datasourceFile, "/executable", "gpx_tide"), file: datasourceFile, rule: "binary-missing", at: value, what: "/executable"},
		{name: "executables of another name", mutate: set("/executable", "gpx_tides"), rule: "binary-name", at: value, what: "/executable"},
		{name: "unknown architecture", mutate: func(p *plugin) { p.files["gpx_tide_linux_x86_64"] = p.files[linux] }, file: "gpx_tide_linux_x86_64", rule: "binary-name"},
		{name: "executable for Windows without .exe", mutate: func(p *plugin) { p.files["gpx_tide_windows_amd64"] = p.files["gpx_tide_windows_amd64.exe"] }, file: "gpx_tide_windows_amd64", rule: "binary-name"},
		{name: "executable without platform", mutate: func(p *plugin) { p.files["gpx_tide"] = p.files[linux] }, file: "gpx_tide", rule: "binary-name"},
		{name: "executable for another architecture", mutate: func(p *plugin) { p.files[linux].Data = p.files["gpx_tide_linux_arm64"].Data }, file: linux, rule: "binary-platform"},
		{name: "executable for another system", mutate: func(p *plugin) { p.files["gpx_tide_darwin_amd64"].Data = p.files[linux].Data }, file: "gpx_tide_darwin_amd64", rule: "binary-platform"},
		{name: "script as executable", mutate: func(p *plugin) { p.files[linux].Data = []byte("#!/bin/sh\n") }, file: linux, rule: "binary-platform"},
		{name: "executable without permission", mutate: func(p *plugin) { p.files[linux].Mode = 0o644 }, file: linux, rule: "binary-mode"},
		{name: "standalone.txt", mutate: addFile("standalone.txt", "127.0.0.1:1"), file: "standalone.txt", rule: "debug-file"},
		{name: "pid.txt", mutate: addFile("pid.txt", "1"), file: "pid.txt", rule: "debug-file"},
		{name: "debug binary", mutate: addFile("__debug_bin123", "x"), file: "__debug_bin123", rule: "debug-file"},

		{name: "changed file", mutate: both((*plugin).addManifest, addFile("CHANGELOG.md", "# Other\n")), file: "MANIFEST.txt", rule: "manifest-hash", at: text, what: `"CHANGELOG.md"`},
		{name: "deleted file", mutate: both((*plugin).addManifest, dropFile("panel/module.js")), file: "MANIFEST.txt", rule: "manifest-hash", at: text, what: `"panel/module.js"`, also: "module-js-missing"},
		{name: "manifest of another version", mutate: both((*plugin).addManifest, replaceText("MANIFEST.txt", "1.2.3", "1.2.2")), file: "MANIFEST.txt", rule: "manifest-hash", at: text, what: `"version"`, also: "manifest-signature"},
		{name: "manifest of another plugin", mutate: both((*plugin).addManifest, replaceText("MANIFEST.txt", "acme-tide-app", "acme-moon-app")), file: "MANIFEST.txt", rule: "manifest-hash", at: text, what: `"plugin"`, also: "manifest-signature"},
		{name: "manifest without JSON", mutate: addFile("MANIFEST.txt", "nothing"), file: "MANIFEST.txt", rule: "manifest-hash", also: "manifest-signature"},
		{name: "path outside the plugin in the manifest", mutate: both((*plugin).addManifest, replaceText("MANIFEST.txt", `"files": {`, fmt.Sprintf(`"files": {"../x": "%x",`, sha256.Sum256(nil)))), file: "MANIFEST.txt", rule: "manifest-hash", at: text, what: `"../x"`, also: "manifest-signature"},
		{name: "manifest without a signature", mutate: addFile("MANIFEST.txt", `{"files": {}}`), file: "MANIFEST.txt", rule: "manifest-signature", also: "manifest-undeclared"},
		{name: "added file", mutate: both((*plugin).addManifest, addFile("panel/extra.js", "")), file: "panel/extra.js", rule: "manifest-undeclared"},
	}
}

// signWith adds a signed manifest with more keys, or other values.
func signWith(values map[string]any) func(*plugin) {
	return func(p *plugin) {
		p.signed = values
		p.addManifest()
	}
}
