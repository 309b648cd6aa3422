package targets

import (
	"errors"
	"testing"

	"github.com/magefile/mage/mg"

	"github.com/slipway-dev/slipway/internal/verbs"
)

func TestExitSaysWhy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		code int
		text string
	}{
		{&verbs.ExitError{Code: verbs.ExitFindings}, 1, "validate found errors"},
		{&verbs.ExitError{Code: verbs.ExitBroken}, 3, "validate is not complete: a check could not run"},
		{&verbs.ExitError{Code: verbs.ExitUsage, Err: errors.New("wrong")}, 2, "wrong"},
		{errors.New("plain"), 1, "plain"},
	} {
		if err := exit(c.err); mg.ExitStatus(err) != c.code || err.Error() != c.text {
			t.Errorf("%v: status %d, text %q", c.err, mg.ExitStatus(err), err)
		}
	}
	if err := exit(nil); err != nil {
		t.Error(err)
	}
}
