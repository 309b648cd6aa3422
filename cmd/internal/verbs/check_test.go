package verbs

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/validate"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "plugin.json")
	write(t, file, `{"type": 1}`)
	r, err := Check(t.Context(), ValidateOptions{Path: dir})
	if err != nil || r.Count(validate.Error) == 0 || string(r.Sources[filepath.ToSlash(file)]) != `{"type": 1}` {
		t.Errorf("%+v, %v", r, err)
	}
	before := r.Count(validate.Error)
	write(t, filepath.Join(dir, "slipway.yaml"), "rules:\n  wrong-type: off\n")
	if r, err = Check(t.Context(), ValidateOptions{Path: dir}); err != nil || r.Count(validate.Error) != before-1 {
		t.Errorf("with a rule off: %+v, %v", r, err)
	}
	repo := filepath.Join(dir, "repo")
	write(t, filepath.Join(repo, "src", "plugin.json"), `{"type": "app"}`)
	write(t, filepath.Join(repo, "dist", "plugin.json"), `{"type": 1}`)
	if r, err = Check(t.Context(), ValidateOptions{Path: repo}); err != nil || len(r.Findings) == 0 {
		t.Errorf("a repository: %+v, %v", r, err)
	}
	for _, f := range r.Findings {
		if strings.HasPrefix(f.File, filepath.ToSlash(filepath.Join(repo, "dist"))) {
			t.Errorf("%s: %s", f.File, f.Message)
		}
	}
	if _, err := Check(t.Context(), ValidateOptions{Path: filepath.Join(dir, "nope")}); err == nil {
		t.Error("a path that does not exist has no error")
	}
}
