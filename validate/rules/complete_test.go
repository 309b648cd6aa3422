package rules

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/signature"
	"github.com/slipway-dev/slipway/bundle/signature/signaturetest"
	"github.com/slipway-dev/slipway/validate"
)

// completeApp, completeDatasource and completePanel together use every key of the schema.
const completeApp = `{
  "$schema": "https://example.org/plugin.schema.json",
  "id": "acme-tide-app",
  "name": "Tide",
  "type": "app",
  "autoEnabled": true,
  "backend": true,
  "enterpriseFeatures": { "healthDiagnosticsErrors": true },
  "executable": "gpx_tide",
  "iam": { "permissions": [{ "action": "dashboards:read", "scope": "dashboards:*" }] },
  "includes": [
    {
      "action": "acme-tide-app:read",
      "addToNav": true,
      "component": "StartPage",
      "defaultNav": true,
      "icon": "tide",
      "name": "Start",
      "path": "/a/acme-tide-app",
      "role": "Viewer",
      "type": "page",
      "uid": "start"
    },
    { "type": "dashboard", "name": "Tides", "path": "dashboards/tides.json" },
    { "type": "datasource", "name": "Tide data", "path": "datasource/plugin.json" },
    { "type": "panel", "name": "Tide panel", "path": "panel/plugin.json" }
  ],
  "info": {
    "author": { "name": "Acme", "email": "acme@example.org", "url": "https://example.org" },
    "build": { "branch": "main", "hash": "0a1b2c", "number": 7, "pr": 8, "repo": "https://example.org/tide", "time": 1769817600 },
    "description": "Shows the tides.",
    "keywords": ["tide", "sea"],
    "links": [{ "name": "Site", "url": "https://example.org" }],
    "logos": { "small": "img/logo.svg", "large": "img/large.svg" },
    "screenshots": [{ "name": "Tides", "path": "img/tides.png" }],
    "updated": "2026-01-31",
    "version": "1.2.3"
  },
  "preload": true,
  "roles": [
    {
      "role": {
        "name": "Reader",
        "description": "Reads tides.",
        "permissions": [{ "action": "acme-tide-app:read", "scope": "tides:*" }]
      },
      "grant": ["Viewer", "Service Admin"]
    }
  ],
  "state": "beta",
  "dependencies": {
    "serviceDependency": ">=10.3.0",
    "serviceVersion": "10.x.x",
    "plugins": [{ "id": "acme-moon-panel", "name": "Moon", "type": "panel", "version": "1.x" }]
  },
  "generated": {
    "extensions": [
      { "extensionPointId": "acme/menu/v1", "type": "link", "title": "Tides", "description": "Opens the tides." }
    ]
  }
}
`

const completeDatasource = `{
  "id": "acme-tide-datasource",
  "name": "Tide data",
  "type": "datasource",
  "alerting": true,
  "annotations": true,
  "backend": true,
  "category": "iot",
  "executable": "../gpx_tide",
  "info": {
    "description": "Reads tides.",
    "keywords": ["tide"],
    "logos": { "small": "../img/logo.svg", "large": "../img/logo.svg" },
    "updated": "2026-01-31",
    "version": "1.2.3"
  },
  "logs": true,
  "metrics": true,
  "queryOptions": { "cacheTimeout": true, "maxDataPoints": true, "minInterval": true },
  "routes": [
    {
      "body": { "any": "thing" },
      "headers": [{ "name": "X-Key", "content": "{{ .SecureJsonData.key }}" }],
      "jwtTokenAuth": {
        "params": { "client_email": "a@example.org", "private_key": "{{ .SecureJsonData.pem }}", "token_uri": "https://example.org/token" },
        "scopes": ["tides"],
        "url": "https://example.org/token"
      },
      "method": "GET, POST",
      "path": "tides",
      "reqAction": "acme-tide-datasource:read",
      "reqRole": "Anyone",
      "reqSignedIn": true,
      "tokenAuth": {
        "params": { "client_id": "1", "client_secret": "2", "grant_type": "3", "resource": "4", "audience": "5" },
        "scopes": ["tides"],
        "url": "{{ .JsonData.tokenUrl }}"
      },
      "url": "https://example.org/{{ .JsonData.path }}"
    },
    { "path": "all", "method": "*", "url": "{{ .JsonData.url }}" }
  ],
  "streaming": true,
  "tracing": true,
  "dependencies": { "serviceDependency": ">=10.3.0" }
}
`

const completePanel = `{
  "id": "acme-tide-panel",
  "name": "Tide panel",
  "type": "panel",
  "info": {
    "description": "Draws tides.",
    "keywords": ["tide"],
    "logos": { "small": "../img/logo.svg", "large": "../img/logo.svg" },
    "updated": "2026-01-31",
    "version": "1.2.3"
  },
  "skipDataQuery": true,
  "dependencies": { "serviceDependency": ">=10.3.0" }
}
`

const (
	datasourceFile = "datasource/plugin.json"
	panelFile      = "panel/plugin.json"
)

// completePlugin returns the plugin in a form; 0 is Dist.
func completePlugin(tb testing.TB, form validate.Where) *plugin {
	tb.Helper()
	p := &plugin{dir: "dist", form: form, files: fstest.MapFS{}, tb: tb}
	const svg = `<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>`
	for name, data := range map[string]string{
		bundle.MetadataFile:     completeApp,
		datasourceFile:          completeDatasource,
		panelFile:               completePanel,
		"module.js":             "define(() => new AppPlugin().addLink({ title: 'Tides' }));\n",
		"datasource/module.js":  "define(() => ({}));\n",
		"panel/module.js":       "define(() => ({}));\n",
		"README.md":             "# Tide\n\nShows [tides](https://example.org).\n",
		"CHANGELOG.md":          "# Changelog\n\n## 1.2.3\n\n- Faster.\n",
		"LICENSE":               "Do with it what you like.\n",
		"img/logo.svg":          svg,
		"img/large.svg":         svg,
		"img/tides.png":         "\x89PNG\r\n\x1a\n",
		"dashboards/tides.json": `{"uid": "tides", "title": "Tides"}`,
	} {
		p.files[name] = &fstest.MapFile{Data: []byte(data), Mode: 0o644}
	}
	if form == validate.Source {
		p.dir = "src"
		removeIn(bundle.MetadataFile, "/generated")(p)
		p.write("module.js", "const imported = ['./code', './datasource/ds', './panel/code'];\nexport const plugin = new AppPlugin();\n")
		return p
	}
	if form == validate.Zip {
		p.dir = "acme-tide-app"
	}
	for _, platform := range bundle.AllPlatforms() {
		p.files[platform.Executable("gpx_tide")] = &fstest.MapFile{Data: program(tb, platform), Mode: 0o755}
	}
	return p
}

// addManifest adds a signed manifest of the current files.
func (p *plugin) addManifest() {
	files := map[string]string{}
	for name, f := range p.files {
		files[name] = fmt.Sprintf("%x", sha256.Sum256(f.Data))
	}
	key := signaturetest.New(p.tb)
	p.signers = key.Public
	p.write(signature.File, key.Sign(p.tb, "acme-tide-app", "1.2.3", files, p.signed))
}
