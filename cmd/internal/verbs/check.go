package verbs

import (
	"context"

	"github.com/slipway-dev/slipway/validate"
)

// Check validates the sources below a path as Validate does, but returns the report instead of
// writing it. It skips dist, which the next build replaces.
func Check(ctx context.Context, o ValidateOptions) (*validate.Report, error) {
	t, err := openTarget(o)
	if err != nil {
		return nil, err
	}
	defer t.close()
	t.options.Where = validate.Source
	r, err := validate.Run(ctx, t.tree, t.options)
	if r == nil {
		return nil, notRun(ctx, err)
	}
	t.addSource(r)
	return r, t.baseline(r, o)
}
