package build

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
)

// explain prints why each step runs, or that it is up to date.
func (p *Plan) explain(ctx context.Context, _ string, r *Result) error {
	if !p.options.Explain {
		return nil
	}
	p.digestInputs(ctx)
	for i := range p.Commands {
		p.printReason(p.Commands[i].Platform.String(), p.commandChange(p.Commands[i], r.previous))
	}
	for _, f := range p.Frontends {
		p.printReason(f.output(), p.bundleChange(f, r.previous))
	}
	if p.options.Frontend.Command != "" {
		p.printReason("frontend", "only its command knows what it reads")
	}
	if p.options.Only != OnlyBackend {
		p.printReason(stepAssets, p.change(r.previous, stepAssets, p.assetInputs(), ""))
	}
	p.printReason(stepDocuments, p.change(r.previous, stepDocuments, p.documentInputs(), ""))
	return nil
}

func (p *Plan) printReason(step, reason string) {
	if reason == "" {
		reason = "up to date"
	} else {
		reason = "runs: " + reason
	}
	fmt.Fprintf(p.options.Progress, "  %-14s %s\n", step, reason)
}

func (p *Plan) assetInputs() inputs {
	in := inputs{}
	for _, a := range p.Assets {
		_ = in.addFile(filepath.ToSlash(a.From), filepath.Join(p.Repo.Root, a.From)) // copying it reports the error
		if path.Base(a.To) == readme {
			in.add("the version or the date", []byte(p.Info.Version+" "+p.Info.Updated))
		}
	}
	return in
}

func (p *Plan) documentInputs() inputs {
	in := inputs{}
	for _, d := range p.documents {
		_ = in.addFile(d.to, filepath.Join(p.Repo.Source, filepath.FromSlash(d.to)))
	}
	in.add("the version", []byte(p.Info.Version))
	in.add("the date", []byte(p.Info.Updated))
	if build, err := json.Marshal(p.Info.Build); err == nil {
		in.add("the commit or the CI run", build)
	}
	return in
}
