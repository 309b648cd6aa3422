package build

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/limit"
)

// requiresGrafanaSDK matches the line of a go.mod that requires Grafana's SDK directly.
var requiresGrafanaSDK = regexp.MustCompile(`(?m)^\s*(?:require\s+)?` + regexp.QuoteMeta(bundle.GrafanaModule) + `[ \t]+v[^\s/]+[ \t]*(?://[ \t]*([^\r\n]*))?\r?$`)

// usesGrafanaSDK reports whether the module in a directory requires Grafana's SDK directly.
func usesGrafanaSDK(module string) bool {
	data, _ := limit.ReadSettings(filepath.Join(module, "go.mod")) // the go command reports the error
	line := requiresGrafanaSDK.FindSubmatch(data)
	return line != nil && !strings.HasPrefix(string(line[1]), "indirect")
}

// grafanaFlags returns the flags for the variables that the build of Grafana's SDK sets, which the SDK prints, logs and
// sends. The linker ignores those that do not exist. What depends on more than the commit is left out: the branch, the
// URL of the repository and the CI run.
func (p *Plan) grafanaFlags(id string) string {
	info := struct {
		Time     int64  `json:"time,omitempty"` // Unix milliseconds
		PluginID string `json:"pluginID,omitempty"`
		Version  string `json:"version,omitempty"`
		Hash     string `json:"hash,omitempty"` // read by old versions of the SDK
	}{p.Info.time * 1000, id, p.Info.Version, ""}
	if p.Info.Build != nil {
		info.Hash = p.Info.Build.Hash
	}
	text, _ := json.Marshal(info) // which has no values that cannot be encoded
	var flags strings.Builder
	for _, variable := range [][2]string{
		{"main.pluginID", info.PluginID},
		{"main.version", info.Version},
		{bundle.GrafanaModule + "/build/buildinfo.buildInfoJSON", string(text)},
		{bundle.GrafanaModule + "/build.buildInfoJSON", string(text)}, // before it was moved
	} {
		if variable[1] != "" && !strings.Contains(variable[1], "'") { // which cannot be quoted
			flags.WriteString(" -X '" + variable[0] + "=" + variable[1] + "'")
		}
	}
	return flags.String()
}
