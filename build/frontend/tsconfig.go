package frontend

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/slipway-dev/slipway/build/bundlerconfig"
	"github.com/slipway-dev/slipway/internal/limit"
)

// Tsconfig returns the tsconfig.json of a repository, or "". Without one, esbuild would look above it.
func Tsconfig(root string) string {
	file := filepath.Join(root, "tsconfig.json")
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	return file
}

// baseConfigs is the package that create-plugin's tsconfig.json extends. A bundle must not depend on its installation.
const baseConfigs = `"@grafana/tsconfig`

var (
	classFields = regexp.MustCompile(`"(target|useDefineForClassFields)"\s*:`)
	decorators  = regexp.MustCompile(`"experimentalDecorators"\s*:`)
	jsx         = regexp.MustCompile(`"jsx"\s*:`)
)

// compilerOptions returns those of the repository's compiler, or else of the package of baseConfigs: class fields are
// defined, and JSX and decorators are those of TypeScript, unless the repository says otherwise.
func compilerOptions(root string, c *bundlerconfig.Config) map[string]any {
	text, _ := limit.ReadSettings(filepath.Join(root, "tsconfig.json"))            // esbuild reports what it cannot read
	more, _ := limit.ReadSettings(filepath.Join(root, ".config", "tsconfig.json")) // of create-plugin, which the other extends
	own := string(text) + string(more)
	hasBase := strings.Contains(own, baseConfigs)
	options := map[string]any{}
	if Tsconfig(root) != "" {
		if !classFields.MatchString(own) {
			options["useDefineForClassFields"] = !c.IsTypeScript || !hasBase
		}
		if hasBase && !decorators.MatchString(own) {
			options["experimentalDecorators"] = true
		}
		if hasBase && !jsx.MatchString(own) {
			options["jsx"] = classic
		}
	}
	maps.Copy(options, c.CompilerOptions)
	return options
}

// tsconfigRaw returns the settings that esbuild gets instead of the path of tsconfig.json, which they extend, or "" without any.
func tsconfigRaw(root string, options map[string]any) string {
	raw := map[string]any{"compilerOptions": options}
	if Tsconfig(root) != "" {
		raw["extends"] = "./tsconfig.json"
	} else if len(options) == 0 {
		return ""
	}
	text, _ := json.Marshal(raw) // strings and booleans always encode
	return string(text)
}

// classic is the JSX that becomes calls of functions, such as React.createElement.
const classic = "react"

// isLenient reports whether files that import no React may have JSX, though not by their tsconfig.json: for those, it is automatic.
func isLenient(options map[string]any) bool {
	factory, hasFactory := options["jsxFactory"]
	return options["jsx"] == classic && (!hasFactory || factory == "React.createElement")
}
