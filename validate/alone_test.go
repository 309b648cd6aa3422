package validate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/rules"
)

// TestAlone reads a plugin.json from a pipe: what needs other files is skipped, what
// does not is found.
func TestAlone(t *testing.T) {
	t.Parallel()
	const text = `{"id": "acme-x-panel", "nmae": "X", "info": {"logos": {"small": "img/none.svg"}}}`
	tree, opts, err := validate.OpenReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	opts.Rules = rules.All()
	r, err := validate.Run(t.Context(), tree, opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.File != validate.Stdin || strings.HasPrefix(f.Rule, "path-") {
			t.Errorf("%s %s %s", f.File, f.Rule, f.Message)
		}
	}
	isSkipped := func(rule string) bool {
		return slices.ContainsFunc(r.Skips, func(s validate.Skip) bool {
			return s.Rule == rule && !s.IsBroken && strings.Contains(s.Reason, "files beside plugin.json")
		})
	}
	if !isSkipped("path-missing") || !isSkipped("path-escape") || isSkipped("unknown-field") {
		t.Errorf("skips: %+v", r.Skips)
	}
	if r.ExitCode() != validate.ExitFindings || r.Plugins != 1 || r.Sources[validate.Stdin] == nil {
		t.Errorf("exit %d, %d plugins", r.ExitCode(), r.Plugins)
	}
}

func TestAloneTooLong(t *testing.T) {
	t.Parallel()
	tree, opts, err := validate.OpenReader(strings.NewReader(strings.Repeat(" ", 1<<20)))
	if err != nil {
		t.Fatal(err)
	}
	opts.Rules = rules.All()
	r, err := validate.Run(t.Context(), tree, opts)
	if err != nil || r.ExitCode() != validate.ExitBroken || !strings.Contains(r.Skips[0].Reason, "more than 256 KiB") {
		t.Errorf("%v, %+v", err, r)
	}
}
