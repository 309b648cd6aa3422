package validate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/rules"
)

// TestAlone validates a plugin.json from standard input: rules that need other files are
// skipped, and the others run.
func TestAlone(t *testing.T) {
	t.Parallel()
	const text = `{"id": "acme-x-panel", "nmae": "X", "info": {"logos": {"small": "img/none.svg"}}}`
	tree, opts, err := validate.OpenReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	opts.Rules = rules.All()
	r := mustRun(t, tree, opts)
	for _, f := range r.Findings {
		if f.File != validate.Stdin || strings.HasPrefix(f.Rule, "path-") {
			t.Errorf("unexpected finding %s in %s: %s", f.Rule, f.File, f.Message)
		}
	}
	isSkipped := func(rule string) bool {
		return slices.ContainsFunc(r.Skips, func(s validate.Skip) bool {
			return s.Rule == rule && !s.IsBroken && strings.Contains(s.Reason, "files other than plugin.json")
		})
	}
	for rule, want := range map[string]bool{"path-missing": true, "path-escape": true, "unknown-field": false} {
		if got := isSkipped(rule); got != want {
			t.Errorf("%s is skipped: %t, want %t", rule, got, want)
		}
	}
	checkExit(t, r, validate.ExitFindings)
	if r.Plugins != 1 {
		t.Errorf("the report counts %d plugins, want 1", r.Plugins)
	}
	if r.Sources[validate.Stdin] == nil {
		t.Error("the report has no text of the file")
	}
}

func TestAloneTooLarge(t *testing.T) {
	t.Parallel()
	tree, opts, err := validate.OpenReader(strings.NewReader(strings.Repeat(" ", 1<<20)))
	if err != nil {
		t.Fatal(err)
	}
	opts.Rules = rules.All()
	r := mustRun(t, tree, opts)
	checkExit(t, r, validate.ExitBroken)
	if got := r.Skips[0].Reason; !strings.Contains(got, "larger than 256 KiB") {
		t.Errorf("the first skip has the reason %q", got)
	}
}
