package store_test

import (
	"errors"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// clock is a clock that tests advance.
type clock struct{ past atomic.Int64 }

func (c *clock) Now() time.Time          { return time.Unix(1_700_000_000, c.past.Load()) }
func (c *clock) Advance(d time.Duration) { c.past.Add(int64(d)) }

// A second process that has the file open notices a change when its cached credential is
// too old.
func TestAuthenticateElsewhere(t *testing.T) {
	t.Parallel()
	now := new(clock)
	o := store.Options{Database: newDatabase(t), Clock: now.Now}
	here, there := open(t, o), open(t, o)
	ctx := t.Context()
	account := testkit.Must(here.CreateServiceAccount(ctx, as(host.RoleAdmin), host.ServiceAccount{Name: "ci", Role: host.RoleEditor}))(t)
	token, secret, err := here.CreateToken(ctx, as(host.RoleAdmin), account.ID, "t", 0)
	if err != nil {
		t.Fatal(err)
	}
	who := testkit.Must(there.Authenticate(ctx, secret))(t)
	want := host.Identity{Kind: host.KindServiceAccount, ID: account.ID, OrgID: org, Login: "sa-ci", Role: host.RoleEditor}
	if diff := cmp.Diff(want, who, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("identity (-want +got):\n%s", diff)
	}
	testkit.OK(t, here.DeleteToken(ctx, as(host.RoleAdmin), account.ID, token.ID))
	if _, err := here.Authenticate(ctx, secret); !errors.Is(err, host.ErrUnauthorized) {
		t.Errorf("same process, immediately: %v", err)
	}
	now.Advance(1100 * time.Millisecond)
	if _, err := there.Authenticate(ctx, secret); !errors.Is(err, host.ErrUnauthorized) {
		t.Errorf("other process, a second later: %v", err)
	}
}

func TestServiceAccounts(t *testing.T) {
	t.Parallel()
	s, ctx := open(t, store.Options{}), t.Context()
	create := func(by host.Role, name string, role host.Role) (host.ServiceAccount, error) {
		return s.CreateServiceAccount(ctx, as(by), host.ServiceAccount{Name: name, Role: role})
	}
	boss := testkit.Must(create(host.RoleAdmin, "My App", host.RoleAdmin))(t)
	if twin := testkit.Must(create(host.RoleAdmin, "my-app", host.RoleViewer))(t); twin.Login != "sa-my-app-2" {
		t.Errorf("login of the second account: %s", twin.Login)
	}
	if _, err := create(host.RoleAdmin, "MY APP", host.RoleViewer); !errors.Is(err, host.ErrDuplicate) {
		t.Errorf("duplicate name: %v", err)
	}
	role := host.RoleAdmin
	twin := boss.ID + 1
	for what, err := range map[string]error{
		"create above":              second(create(host.RoleEditor, "x", host.RoleAdmin)),
		"raise above":               second(s.UpdateServiceAccount(ctx, as(host.RoleEditor), twin, store.AccountChange{Role: &role})),
		"change above":              second(s.UpdateServiceAccount(ctx, as(host.RoleEditor), boss.ID, store.AccountChange{})),
		"delete above":              s.DeleteServiceAccount(ctx, as(host.RoleEditor), boss.ID),
		"key with a higher role":    tokenError(s.CreateAPIKey(ctx, as(host.RoleEditor), host.APIKey{Name: "k", Role: host.RoleAdmin}, time.Hour)),
		"token of a higher account": tokenError(s.CreateToken(ctx, as(host.RoleEditor), boss.ID, "t", 0)),
	} {
		if !errors.Is(err, host.ErrForbidden) {
			t.Errorf("%s: %v", what, err)
		}
	}
	testkit.Must(token(s.CreateToken(ctx, as(host.RoleAdmin), boss.ID, "t", 0)))(t)
	if err := tokenError(s.CreateToken(ctx, as(host.RoleAdmin), boss.ID, "t", 0)); !errors.Is(err, host.ErrDuplicate) {
		t.Errorf("duplicate token name: %v", err)
	}
	if a := testkit.Must(s.ServiceAccount(ctx, org, boss.ID))(t); a.Tokens != 1 {
		t.Errorf("tokens = %d", a.Tokens)
	}
	found, total, err := s.ServiceAccounts(ctx, org, store.AccountFilter{Text: "SA-MY", Page: store.Page{Limit: 1}})
	if err != nil || total != 2 || len(found) != 1 {
		t.Errorf("search: %+v, %d, %v", found, total, err)
	}
	if _, err := s.ServiceAccount(ctx, org+1, boss.ID); !errors.Is(err, host.ErrNotFound) {
		t.Errorf("from another organization: %v", err)
	}
}

func tokenError[T any](_ T, _ host.Token, err error) error { return err }

func token[T any](v T, _ host.Token, err error) (T, error) { return v, err }

func TestReconcilePluginAccount(t *testing.T) {
	t.Parallel()
	s, ctx := open(t, store.Options{}), t.Context()
	reconcile := func(instance string, grants ...host.Grant) host.Token {
		return testkit.Must(s.ReconcilePluginAccount(ctx, org, "acme-app", instance, grants))(t)
	}
	read, write := host.Grant{Action: "playlists:read", Scope: "playlists:*"}, host.Grant{Action: "playlists:write"}
	first := reconcile("a", read, write, read)
	who := testkit.Must(s.Authenticate(ctx, first))(t)
	if who.Login != "extsvc-acme-app" {
		t.Errorf("login %s", who.Login)
	}
	if who.Role != host.RoleNone {
		t.Errorf("role %s, want None", who.Role)
	}
	if diff := cmp.Diff([]host.Grant{read, write}, who.Grants); diff != "" {
		t.Errorf("grants (-want +got):\n%s", diff)
	}
	elsewhere := reconcile("b", read, write)
	again := reconcile("a", read)
	if _, err := s.Authenticate(ctx, first); !errors.Is(err, host.ErrUnauthorized) {
		t.Errorf("token of the previous start: %v", err)
	}
	for _, access := range []host.Token{elsewhere, again} {
		if who := testkit.Must(s.Authenticate(ctx, access))(t); who.Allows("playlists:write", "") || !who.Allows("playlists:read", "") {
			t.Errorf("the grants were not replaced: %+v", who)
		}
	}
	accounts, _, err := s.ServiceAccounts(ctx, org, store.AccountFilter{})
	if err != nil || len(accounts) != 1 || accounts[0].Tokens != 2 {
		t.Fatalf("accounts: %+v, %v", accounts, err)
	}
	if err := s.SetPluginGrants(ctx, org, "acme-app", []host.Grant{write}); err != nil {
		t.Error(err)
	}
	if who := testkit.Must(s.Authenticate(ctx, again))(t); !who.Allows("playlists:write", "") || who.Allows("playlists:read", "") {
		t.Errorf("grants of the existing token: %+v", who)
	}
	id := accounts[0].ID
	for what, err := range map[string]error{
		"name or role": second(s.UpdateServiceAccount(ctx, as(host.RoleAdmin), id, store.AccountChange{})),
		"token":        tokenError(s.CreateToken(ctx, as(host.RoleAdmin), id, "mine", 0)),
	} {
		if !errors.Is(err, host.ErrForbidden) {
			t.Errorf("a user may change the %s of a plugin account: %v", what, err)
		}
	}
	similar := testkit.Must(s.ReconcilePluginAccount(ctx, org, "acme.app", "a", nil))(t)
	if who := testkit.Must(s.Authenticate(ctx, similar))(t); who.Login != "extsvc-acme-app-2" {
		t.Errorf("plugin with the same slug: %+v", who)
	}
	for _, instance := range []string{"a", "b", "b"} {
		if err := s.PrunePluginAccounts(ctx, org, instance, []string{"acme.app"}); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.Authenticate(ctx, again); !errors.Is(err, host.ErrUnauthorized) {
		t.Errorf("token of a removed account: %v", err)
	}
	if _, err := s.ReconcilePluginAccount(ctx, org, "acme-app", "a", []host.Grant{{Action: "*"}}); !errors.Is(err, host.ErrInvalid) {
		t.Errorf("grant of all actions: %v", err)
	}
}

// The last use of a token is stored with the precision of a minute, and is visible immediately.
func TestLastUsed(t *testing.T) {
	t.Parallel()
	now := new(clock)
	o, ctx, root := store.Options{Database: newDatabase(t), Clock: now.Now}, t.Context(), as(host.RoleAdmin)
	s := testkit.Must(store.Open(ctx, o))(t)
	account := testkit.Must(s.CreateServiceAccount(ctx, root, host.ServiceAccount{Name: "ci", Role: host.RoleViewer}))(t)
	_, secret, err := s.CreateToken(ctx, root, account.ID, "t", 0)
	if err != nil {
		t.Fatal(err)
	}
	lastUsed := func(s *store.Store) time.Time {
		return testkit.Must(s.AccountTokens(ctx, org, account.ID, store.Page{}))(t)[0].LastUsed
	}
	if used := lastUsed(s); !used.IsZero() {
		t.Errorf("last use of a new token: %s", used)
	}
	testkit.Must(s.Authenticate(ctx, secret))(t)
	first := now.Now()
	now.Advance(30 * time.Second)
	testkit.Must(s.Authenticate(ctx, secret))(t)
	if used := lastUsed(s); !used.Equal(first) {
		t.Errorf("last use within a minute %s, want %s", used, first)
	}
	now.Advance(2 * time.Minute)
	testkit.Must(s.Authenticate(ctx, secret))(t)
	if used := lastUsed(s); !used.Equal(now.Now()) {
		t.Errorf("last use %s, want %s", used, now.Now())
	}
	testkit.OK(t, s.Close())
	if used := lastUsed(open(t, o)); !used.Equal(now.Now()) {
		t.Errorf("after a restart: last use %s, want %s", used, now.Now())
	}
}

// The tokens of an account are paged, and an account has a quota of them.
func TestAccountTokenPages(t *testing.T) {
	t.Parallel()
	s, ctx, root := open(t, store.Options{}), t.Context(), as(host.RoleAdmin)
	account := testkit.Must(s.CreateServiceAccount(ctx, root, host.ServiceAccount{Name: "ci", Role: host.RoleViewer}))(t)
	testkit.OK(t, s.Exec(ctx, numbers+`INSERT INTO tokens (org_id, account_id, name, digest, created_at)
		SELECT $2, $3, CAST(i - 1 AS TEXT), 'd' || CAST(i AS TEXT), 0 FROM n`, gate.MaxAccountTokens-1, org, account.ID))
	testkit.OK(t, tokenError(s.CreateToken(ctx, root, account.ID, "the last", 0)))
	if err := tokenError(s.CreateToken(ctx, root, account.ID, "one more", 0)); !errors.Is(err, host.ErrThrottled) {
		t.Errorf("token over the quota: %v", err)
	}
	for number, length := range map[int64]int{1: 2000, 2: 2000, 3: 1000, 4: 0} {
		page := testkit.Must(s.AccountTokens(ctx, org, account.ID, store.Page{Limit: 2000, Number: number}))(t)
		if len(page) != length || length > 0 && page[0].Name != strconv.FormatInt((number-1)*2000, 10) {
			t.Errorf("page %d has %d tokens, want %d", number, len(page), length)
		}
	}
}
