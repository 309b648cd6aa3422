package frontend

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/slipway-dev/slipway/build/bundlerconfig"
	"github.com/slipway-dev/slipway/internal/limit"
)

// Tsconfig returns the tsconfig.json of a repository, or "" if there is none. Without one,
// esbuild would look above the repository.
func Tsconfig(root string) string {
	file := filepath.Join(root, "tsconfig.json")
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	return file
}

// baseConfigs is the package that create-plugin's tsconfig.json extends. esbuild reads it only where packages
// are installed, but a bundle must not depend on that.
const baseConfigs = `"@grafana/tsconfig`

var (
	classFields = regexp.MustCompile(`"(target|useDefineForClassFields)"\s*:`)
	decorators  = regexp.MustCompile(`"experimentalDecorators"\s*:`)
	jsx         = regexp.MustCompile(`"jsx"\s*:`)
)

// ownConfigs returns the text of the tsconfig.json of a repository and of the one that create-plugin
// writes, which it extends.
func ownConfigs(root string) string {
	text, _ := limit.ReadFile(filepath.Join(root, "tsconfig.json"), limit.Settings) // esbuild reports what it cannot read
	more, _ := limit.ReadFile(filepath.Join(root, ".config", "tsconfig.json"), limit.Settings)
	return string(text) + string(more)
}

// tsconfigRaw returns the settings that esbuild gets instead of the path of tsconfig.json, or "" without such a file.
// They extend it, and set what the package of baseConfigs would: class fields are defined, as in the bundles
// of create-plugin, and decorators are those of TypeScript, unless the repository says otherwise.
func tsconfigRaw(root string) string {
	if Tsconfig(root) == "" {
		return ""
	}
	own := ownConfigs(root)
	options := map[string]bool{}
	if !classFields.MatchString(own) {
		options["useDefineForClassFields"] = true
	}
	if strings.Contains(own, baseConfigs) && !decorators.MatchString(own) {
		options["experimentalDecorators"] = true
	}
	text, err := json.Marshal(map[string]any{"extends": "./tsconfig.json", "compilerOptions": options})
	if err != nil {
		panic(err) // cannot happen: the values are strings and booleans
	}
	return string(text)
}

// classic is the comment by which JSX becomes calls of React.createElement, in files that import React.
const classic = "@jsxRuntime classic"

// jsxOf returns the comment that says what becomes of JSX, as the repository's bundler or the package of baseConfigs
// does, or "" if tsconfig.json decides.
func jsxOf(root string, c *bundlerconfig.Config) string {
	if own := ownConfigs(root); c.JSX == "" && strings.Contains(own, baseConfigs) && !jsx.MatchString(own) {
		return classic
	}
	return c.JSX
}
