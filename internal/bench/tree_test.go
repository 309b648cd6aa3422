package bench

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// treeSize is the number of plugins in the trees of the benchmarks.
const treeSize = 3000

// writeTree writes a tree of plugins. Each faulty plugin has several common errors.
func writeTree(tb testing.TB, n int, isFaulty bool) (dir string) {
	tb.Helper()
	dir = tb.TempDir()
	for i := range n {
		text := strings.ReplaceAll(treePlugin, "NUMBER", fmt.Sprint(i))
		if isFaulty {
			text = strings.NewReplacer(
				`"backend": true`, `"backend": "true"`, `"category"`, `"catgory"`, `"version": "1.4.2",`, ``,
				`img/logo.svg`, `../../logo.svg`, `">=10.3.0 <12"`, `">=10.3.0, <12"`,
			).Replace(text)
		}
		for name, data := range map[string]string{
			"plugin.json": text, "img/logo.svg": `<svg xmlns="http://www.w3.org/2000/svg"/>`, "LICENSE": "All rights reserved.\n",
			"README.md":    fmt.Sprintf("# Metrics %d\n\nReads the metrics of service %d.\n", i, i),
			"CHANGELOG.md": "# Changelog\n\n## 1.4.2\n\n- Faster queries.\n",
		} {
			file := filepath.Join(dir, fmt.Sprintf("p%04d", i), filepath.FromSlash(name))
			testkit.WriteFile(tb, file, data)
		}
	}
	return dir
}

const treePlugin = `{
  "$schema": "https://example.com/plugin.schema.json",
  "type": "datasource",
  "id": "acme-metricsNUMBER-datasource",
  "name": "Metrics NUMBER",
  "category": "tsdb",
  "backend": true,
  "executable": "gpx_metrics",
  "metrics": true,
  "alerting": true,
  "annotations": true,
  "info": {
    "description": "Reads the metrics of service NUMBER.",
    "author": { "name": "Acme", "url": "https://example.com" },
    "keywords": ["metrics", "time series", "acme"],
    "logos": { "small": "img/logo.svg", "large": "img/logo.svg" },
    "links": [
      { "name": "Source", "url": "https://example.com/source" },
      { "name": "License", "url": "https://example.com/license" }
    ],
    "version": "1.4.2",
    "updated": "2026-01-31"
  },
  "includes": [
    { "type": "page", "name": "Settings", "path": "/a/settings", "role": "Admin", "addToNav": true },
    { "type": "page", "name": "Overview", "path": "/a/overview", "role": "Viewer", "addToNav": true }
  ],
  "routes": [
    {
      "path": "api",
      "method": "GET",
      "url": "{{ .JsonData.url }}/api/v1",
      "reqRole": "Viewer",
      "headers": [{ "name": "Authorization", "content": "Bearer {{ .SecureJsonData.token }}" }]
    }
  ],
  "roles": [
    {
      "role": {
        "name": "Reader",
        "description": "Reads metrics.",
        "permissions": [{ "action": "acme-metricsNUMBER-datasource.metrics:read", "scope": "metrics:*" }]
      },
      "grant": ["Viewer"]
    }
  ],
  "iam": { "permissions": [{ "action": "dashboards:read", "scope": "dashboards:*" }] },
  "dependencies": {
    "serviceDependency": ">=10.3.0 <12",
    "plugins": [{ "type": "panel", "id": "acme-clock-panel", "name": "Clock", "version": "^1.0.0" }]
  }
}
`
