package rules

import (
	"fmt"
	"path"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func binaryMissing(p *validate.Pass) {
	b := inspect.Executables.Of(p)
	if b.Name == "" || len(b.Matches) > 0 || len(b.Others) > 0 && p.Runs(binaryNameID) {
		return
	}
	example := bundle.Host().Executable(b.Name)
	if b.Err != nil {
		p.Reportf(p.Value("/executable"), "cannot list the directory of the executable %q: %v", b.Name, b.Err)
		return
	}
	f := validate.Finding{
		Place:   p.Value("/executable"),
		Message: fmt.Sprintf("no executable %s, and none for another platform", example),
	}
	if above := executableAbove(p, b.Name); above != "" {
		f.Message = fmt.Sprintf("no executable %s here, but in a directory above", example)
		f.Help = fmt.Sprintf("write %q", above)
		f.Fix = writeText(p, "/executable", above)
	}
	p.Report(f)
}

// executableAbove returns the "executable" of a nested plugin that would name one in a plugin around it, or "".
func executableAbove(p *validate.Pass, name string) string {
	for dir, up := p.Dir, "../"; dir != p.Root; up += "../" {
		dir = path.Dir(dir)
		isThere := func(of bundle.Platform) bool { return inspect.Exists(p, path.Join(dir, of.Executable(name))) }
		if slices.ContainsFunc(bundle.AllPlatforms(), isThere) {
			return up + name
		}
	}
	return ""
}
