package host

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle/access"
)

// TestActions requires that the roles of the host and the table that plugin.json is checked with
// have the same actions.
func TestActions(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(slices.Sorted(slices.Values(access.Actions())), slices.Sorted(slices.Values(RoleAdmin.Actions()))); diff != "" {
		t.Errorf("the actions of access and of RoleAdmin differ (-access +host):\n%s", diff)
	}
}

func TestGrantString(t *testing.T) {
	t.Parallel()
	all := []Grant{{Action: "playlists:read"}, {Action: "folders:read", Scope: "folders:*"}}
	if got, want := fmt.Sprintf("%+v", all), "[playlists:read folders:read on folders:*]"; got != want { // as in the log
		t.Errorf("got %s, want %s", got, want)
	}
}
