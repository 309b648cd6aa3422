package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/host/api"
	"github.com/slipway-dev/slipway/internal/testkit"
)

var (
	codeBlock   = regexp.MustCompile("(?ms)^```.*?^```$")
	codeSpan    = regexp.MustCompile("`([^`]+)`")
	docRoute    = regexp.MustCompile(`^/(?:api|metrics|public|avatar)\b\S*`)
	docVariable = regexp.MustCompile(`SLIPWAY_[A-Z_]+`)
)

// TestNamesInDocuments requires that the routes and the environment variables in the
// documents exist.
func TestNamesInDocuments(t *testing.T) {
	t.Parallel()
	var patterns []string
	for _, route := range new(api.API).Routes() {
		patterns = append(patterns, route.Pattern)
	}
	variables := []string{verbs.EnvAdminPassword, verbs.EnvDatabase, verbs.EnvSecretKey}
	routes, secrets := 0, 0
	for _, name := range []string{"security.md", "host.md"} {
		data := testkit.Must(os.ReadFile(filepath.Join("..", "..", "doc", name)))(t)
		for _, m := range codeSpan.FindAllStringSubmatch(codeBlock.ReplaceAllString(string(data), ""), -1) {
			path := docRoute.FindString(m[1])
			if path == "" {
				continue
			}
			routes++
			if !slices.ContainsFunc(patterns, func(pattern string) bool {
				return pattern == path || strings.HasSuffix(path, "/") && strings.HasPrefix(pattern, path)
			}) {
				t.Errorf("%s: unknown route %s", name, path)
			}
		}
		for _, variable := range docVariable.FindAllString(string(data), -1) {
			secrets++
			if !slices.Contains(variables, variable) {
				t.Errorf("%s: unknown environment variable %s", name, variable)
			}
		}
	}
	if routes < 8 || secrets < 6 {
		t.Errorf("found only %d routes and %d variables in the documents", routes, secrets)
	}
}
