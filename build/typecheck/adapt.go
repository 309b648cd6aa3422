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

// adaptedFile is in Slipway's node_modules: a tsconfig.json that says the same as the repository's without the options
// that a pinned compiler refuses, and that have an exact replacement. create-plugin's has two of them.
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
		CompilerOptions struct {
			BaseURL            *string
			RootDir            *string
			DownlevelIteration *bool
			Paths              map[string][]string
		}
		Files []string
	}
	if err != nil || json.Unmarshal(out, &shown) != nil {
		return own, nil // the check reports what is wrong with it
	}
	o := shown.CompilerOptions
	if o.BaseURL == nil && o.RootDir == nil && o.DownlevelIteration == nil || len(shown.Files) == 0 {
		return own, nil
	}
	options := map[string]any{"rootDir": nil, "downlevelIteration": nil} // which only emitted files depend on
	if o.BaseURL != nil {
		base := path.Join(filepath.ToSlash(c.root), *o.BaseURL)
		paths := map[string][]string{"*": {path.Join(base, "*")}}
		for pattern, list := range o.Paths {
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
