package build

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
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

// GoSumsFile lists the Go files of a plugin. Grafana's catalog compares them, and refuses a backend without.
const GoSumsFile = "go_plugin_build_manifest"

// addGoSums lists the Go files for a backend that is compiled for Grafana, but not for a host that serves dist.
func (p *Plan) addGoSums(_ context.Context, staging string, _ *Result) error {
	key := "/dependencies/" + bundle.Published().DependencyKey
	isPublished := func(d document) bool {
		doc, err := bundle.ParseDocument(d.to, d.data)
		return err == nil && doc.Has(key)
	}
	if len(p.Commands) == 0 || p.options.Update || !slices.ContainsFunc(p.documents, isPublished) {
		return nil
	}
	var list strings.Builder
	if err := WriteGoSums(&list, p.Repo.Root); err != nil {
		return fmt.Errorf("list the Go files: %w", err)
	}
	return writeFile(filepath.Join(staging, GoSumsFile), []byte(list.String()))
}

// WriteGoSums lists the Go files of a repository in the form of Grafana's SDK: a line
// "<sha256 in hexadecimal>:<path>" for each. Files in node_modules are not part of the sources.
func WriteGoSums(w io.Writer, repo string) error {
	root, err := os.OpenRoot(repo)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git" || strings.HasPrefix(name, ".slipway")):
			return fs.SkipDir
		case !d.Type().IsRegular() || path.Ext(name) != ".go":
			return nil
		}
		f, err := root.Open(filepath.FromSlash(name))
		if err != nil {
			return err
		}
		defer f.Close()
		sum := sha256.New()
		if _, err := io.Copy(sum, f); err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%x:%s\n", sum.Sum(nil), name)
		return err
	})
}
