package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestLease renews a token, releases the tokens of one instance of the host, and removes
// what a disabled account granted.
func TestLease(t *testing.T) {
	t.Parallel()
	now := new(clock)
	s, ctx := open(t, store.Options{Clock: now.Now}), t.Context()
	grants := []host.Grant{{Action: access.PlaylistsRead, Scope: "playlists:*"}}
	lease := func(instance string) host.Token {
		t.Helper()
		return testkit.Must(s.ReconcilePluginAccount(ctx, org, "acme-app", instance, grants))(t)
	}
	isValid := func(token host.Token) bool {
		_, err := s.Authenticate(ctx, token)
		return err == nil
	}
	here, there := lease("here"), lease("there")
	now.Advance(host.LeaseLifetime - time.Minute)
	if exists := testkit.Must(s.RenewToken(ctx, here))(t); !exists {
		t.Error("the token to renew was not found")
	}
	now.Advance(2 * time.Minute)
	if !isValid(here) || isValid(there) {
		t.Errorf("after the life of a token: renewed %t, not renewed %t", isValid(here), isValid(there))
	}
	there = lease("there")
	testkit.OK(t, s.ReleasePluginTokens(ctx, org, "here"))
	if exists := testkit.Must(s.RenewToken(ctx, here))(t); exists || isValid(here) || !isValid(there) {
		t.Errorf("after the release of one instance: found %t, valid %t, the other instance %t", exists, isValid(here), isValid(there))
	}
	// A disabled account keeps its record when the plugin goes, but nothing else.
	id := testkit.Must(s.Authenticate(ctx, there))(t).ID
	disabled := true
	testkit.Must(s.UpdateServiceAccount(ctx, as(host.RoleAdmin), id, store.AccountChange{IsDisabled: &disabled}))(t)
	testkit.OK(t, s.PrunePluginAccounts(ctx, org, "there", nil))
	got := testkit.Must(s.ServiceAccount(ctx, org, id))(t)
	if !got.IsDisabled || got.Tokens != 0 || len(got.Grants) != 0 {
		t.Errorf("disabled account of a plugin that is gone: %+v", got)
	}
}

// TestPurgeExpired deletes tokens only after they were listed as expired for a while.
func TestPurgeExpired(t *testing.T) {
	t.Parallel()
	now := new(clock)
	s, ctx, root := open(t, store.Options{Clock: now.Now}), t.Context(), as(host.RoleAdmin)
	a := testkit.Must(s.CreateServiceAccount(ctx, root, host.ServiceAccount{Name: "ci", Role: host.RoleViewer}))(t)
	for name, life := range map[string]time.Duration{"brief": time.Minute, "forever": 0} {
		if _, _, err := s.CreateToken(ctx, root, a.ID, name, life); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		after time.Duration
		want  int64
	}{{time.Hour, 0}, {host.KeepExpired, 1}, {host.KeepExpired, 0}} {
		now.Advance(c.after)
		if got := testkit.Must(s.PurgeExpired(ctx))(t); got != c.want {
			t.Errorf("after another %v: %d deleted, want %d", c.after, got, c.want)
		}
	}
}

// Only NULL is no expiry: a token with 0, as an operator may write it, has expired.
func TestExpiryOfZero(t *testing.T) {
	t.Parallel()
	s, ctx, root := open(t, store.Options{}), t.Context(), as(host.RoleAdmin)
	a := testkit.Must(s.CreateServiceAccount(ctx, root, host.ServiceAccount{Name: "ci", Role: host.RoleViewer}))(t)
	_, secret, err := s.CreateToken(ctx, root, a.ID, "forever", 0)
	testkit.OK(t, err)
	testkit.OK(t, s.Exec(ctx, "UPDATE tokens SET expires_at = 0"))
	if _, err := s.Authenticate(ctx, secret); !errors.Is(err, host.ErrUnauthorized) {
		t.Errorf("token that expired in 1970: %v", err)
	}
}
