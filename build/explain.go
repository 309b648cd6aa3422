package build

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
)

// noRecord is why everything is built the first time.
const noRecord = "no previous build is recorded"

// The steps that always run, since they take no time.
const (
	stepAssets    = "assets"
	stepDocuments = "plugin.json"
)

// explain prints why each step runs, or that it is up to date.
func (p *Plan) explain(ctx context.Context, _ string, r *Result) error {
	if !p.options.Explain {
		return nil
	}
	p.digestInputs(ctx)
	for i := range p.Commands {
		p.printReason(p.Commands[i].Platform.String(), p.commandChange(&p.Commands[i], r.previous))
	}
	for _, f := range p.Frontends {
		p.printReason(path.Join(f.to, "module.js"), p.bundleChange(f, r.previous.Frontends[f.to]))
	}
	if p.options.Frontend.Command != "" {
		p.printReason("frontend", "only its command knows what it reads")
	}
	for _, step := range []string{stepAssets, stepDocuments} {
		if step == stepDocuments || p.options.Only != OnlyBackend {
			p.printReason(step, p.copyChange(step, r))
		}
	}
	return nil
}

// copyChange returns why a step that always runs is needed, "" if it is not.
func (p *Plan) copyChange(step string, r *Result) string {
	before, ok := r.previous.Copied[step]
	switch {
	case !ok:
		return noRecord
	case !exists(p.Repo.Dist):
		return "dist was deleted"
	}
	return r.copied[step].change(before)
}

func (p *Plan) printReason(step, reason string) {
	if reason == "" {
		reason = "up to date"
	} else {
		reason = "runs: " + reason
	}
	fmt.Fprintf(p.options.Progress, "  %-14s %s\n", step, reason)
}

// commandChange returns why a command runs, "" if its executable is current.
func (p *Plan) commandChange(c *Command, previous record) string {
	before, ok := previous.Outputs[c.Output]
	switch {
	case c.unknown != nil:
		return "only the go command knows what it compiles: " + c.unknown.Error()
	case !ok:
		return noRecord
	case before.Inputs != c.inputs:
		if change := c.sources.change(previous.Sources[before.Sources]); change != "" {
			return change
		}
		return "the flags or the environment of the go command changed"
	case !before.isCurrent(filepath.Join(p.Repo.Dist, filepath.FromSlash(c.Output)), c.inputs):
		return "dist/" + c.Output + " was changed or deleted after the build"
	}
	return ""
}

// copiedInputs returns the inputs of the steps that always run. If this build copies no
// assets, those of the previous build are still in dist.
func (p *Plan) copiedInputs(previous record) map[string]inputs {
	assets, documents := inputs{}, inputs{}
	for _, a := range p.Assets {
		_ = assets.addFile(filepath.ToSlash(a.From), filepath.Join(p.Repo.Root, a.From)) // copying it reports the error
		if path.Base(a.To) == readme {
			assets.add("the version or the date", []byte(p.Info.Version+" "+p.Info.Updated))
		}
	}
	for _, d := range p.documents {
		_ = documents.addFile(d.to, filepath.Join(p.Repo.Source, filepath.FromSlash(d.to)))
	}
	documents.add("the version", []byte(p.Info.Version))
	documents.add("the date", []byte(p.Info.Updated))
	if build, err := json.Marshal(p.Info.Build); err == nil {
		documents.add("the commit or the CI run", build)
	}
	if p.options.Only == OnlyBackend {
		assets = previous.Copied[stepAssets]
	}
	return map[string]inputs{stepAssets: assets, stepDocuments: documents}
}
