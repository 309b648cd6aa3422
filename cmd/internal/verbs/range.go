package verbs

import (
	"context"
	"path"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/cmd/internal/adopt"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/compat"
	"github.com/slipway-dev/slipway/validate/fix"
)

// addRange adds to the plan of init the widest range of versions of existing hosts in which compat finds no errors, unless
// plugin.json has one, and returns it, or "". What cannot be read is reported by validate, which init runs next.
func addRange(ctx context.Context, p *adopt.Plan) string {
	files, o, err := validate.Open(p.Dir, "")
	if err != nil {
		return ""
	}
	defer validate.Close(files)
	r, err := compat.Check(ctx, files, o, 0)
	if err != nil || r.Suggested == "" {
		return ""
	}
	o.Rules = []validate.Rule{{ID: "range", Where: validate.Source, Check: func(p *validate.Pass) {
		hasRange := func(one bundle.Profile) bool {
			return p.Doc.Has("/dependencies/"+one.DependencyKey) || p.Doc.Has("/dependencies/"+one.LegacyDependencyKey)
		}
		if p.Dir != p.Root || slices.ContainsFunc(bundle.Profiles(), hasRange) {
			return
		}
		key := bundle.Published().DependencyKey
		edit := p.Insert("", "dependencies", map[string]string{key: r.Suggested})
		if p.Doc.Has("/dependencies") {
			edit = p.Insert("/dependencies", key, r.Suggested)
		}
		p.Report(validate.Finding{Message: "plugin.json declares no range of versions", Fix: &validate.Fix{Title: "add a range", Edits: []validate.Edit{edit}}})
	}}}
	result, err := fix.Run(ctx, files, o)
	if err != nil || len(result.Changes) == 0 {
		return ""
	}
	dir, err := filepath.Rel(p.Root, p.Dir)
	if err != nil {
		return ""
	}
	for _, c := range result.Changes {
		p.Files = append(p.Files, adopt.File{Path: path.Join(filepath.ToSlash(dir), c.File), Before: c.Before, After: c.After})
	}
	return r.Suggested
}
