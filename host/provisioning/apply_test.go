package provisioning

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/host"
)

// failing is a target whose data sources cannot be listed, or can be listed but not deleted.
type failing struct {
	Target
	isGone bool
}

func (f failing) DataSources(context.Context) ([]host.DataSource, error) {
	if f.isGone {
		return nil, errors.New("the database is gone")
	}
	return []host.DataSource{{UID: "old", Name: "Old"}}, nil
}

func (failing) DeleteDataSource(context.Context, string) error { return errors.New("busy") }

// What a failed call did not delete is deleted by a later one.
func TestPrunedAfterFailure(t *testing.T) {
	t.Parallel()
	before := State{Pruned: []string{"old"}}
	for name, target := range map[string]Target{"list": failing{isGone: true}, "delete": failing{}} {
		after, err := Apply(t.Context(), target, &Config{}, before)
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		if diff := cmp.Diff(before.Pruned, after.Pruned); diff != "" {
			t.Errorf("%s: data sources to delete (-want +got):\n%s", name, diff)
		}
	}
}
