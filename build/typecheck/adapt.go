package typecheck

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"

	"github.com/slipway-dev/slipway/internal/atomicfile"
	"github.com/slipway-dev/slipway/internal/process"
)

// adaptedFile is in Slipway's node_modules: a tsconfig.json that says to a pinned compiler what the repository's says to an
// older one: without options that the pinned one refuses, and with the defaults of the older one.
const adaptedFile = ".slipway-tsconfig.json"

// config returns the configuration to check with.
func (c *Compiler) config(ctx context.Context) (string, error) {
	const own = "tsconfig.json"
	if !c.isPinned || c.modules == "" {
		return own, nil
	}
	cmd := exec.CommandContext(ctx, c.command[0], "--showConfig", "-p", own)
	cmd.Dir = c.root
	out, err := process.Output(cmd)
	var shown struct {
		CompilerOptions map[string]any
		Files           []string
	}
	var config struct {
		CompilerOptions struct{ Paths map[string][]string }
	}
	if err != nil || json.Unmarshal(out, &shown) != nil || json.Unmarshal(out, &config) != nil || len(shown.Files) == 0 {
		return own, nil // the check reports what is wrong with it
	}
	options := map[string]any{"rootDir": nil, "downlevelIteration": nil} // which only emitted files depend on
	if c.Locked != "" && major(c.Locked) < 6 {
		for name, value := range map[string]any{"strict": false, "noUncheckedSideEffectImports": false, "types": []string{"*"}} {
			if shown.CompilerOptions[name] == nil {
				options[name] = value
			}
		}
	}
	if name := shown.CompilerOptions["moduleResolution"]; name == "node10" || name == "node" {
		options["moduleResolution"], options["resolvePackageJsonExports"], options["resolvePackageJsonImports"] = "bundler", false, false
	}
	if to, ok := shown.CompilerOptions["baseUrl"].(string); ok {
		base := path.Join(filepath.ToSlash(c.root), to)
		paths := map[string][]string{"*": {path.Join(base, "*")}}
		for pattern, list := range config.CompilerOptions.Paths {
			paths[pattern] = nil
			for _, to := range append(list, pattern) { // what is not found there is looked up in the base
				paths[pattern] = append(paths[pattern], path.Join(base, to))
			}
		}
		options["baseUrl"], options["paths"] = nil, paths
	}
	for i, file := range shown.Files {
		shown.Files[i] = path.Join(filepath.ToSlash(c.root), file)
	}
	text, err := json.Marshal(map[string]any{
		"extends": filepath.ToSlash(filepath.Join(c.root, own)), "compilerOptions": options, "files": shown.Files, "include": []string{},
	})
	adapted := filepath.Join(c.modules, adaptedFile)
	if err == nil {
		err = atomicfile.Write(adapted, 0o644, atomicfile.Bytes(text))
	}
	if err != nil {
		return "", fmt.Errorf("adapt tsconfig.json: %w", err)
	}
	return adapted, nil
}
