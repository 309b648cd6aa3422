package main

import (
	"errors"
	"slices"
	"testing"

	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/backend"
	"github.com/slipway-dev/slipway/sdk/sdktest"
	"github.com/slipway-dev/slipway/sdk/secretsmanager"
)

func TestSecrets(t *testing.T) {
	t.Parallel()
	k := sdktest.Start(t, secretsmanager.Plugin(&memory{values: map[secretsmanager.Key]string{}}))
	var c secretsmanager.Store = backend.NewSecretsManager(k.Conn())
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	shop := secretsmanager.Key{OrgID: 1, Namespace: "shop", Type: "datasource"}
	other := secretsmanager.Key{OrgID: 2, Namespace: "shop", Type: "datasource"}
	if value, exists, err := c.Secret(ctx, shop); value != "" || exists || err != nil {
		t.Errorf("%q, %t, %v", value, exists, err)
	}
	must(c.SetSecret(ctx, shop, "one"))
	must(c.SetSecret(ctx, shop, ""))
	if value, exists, err := c.Secret(ctx, shop); value != "" || !exists || err != nil {
		t.Errorf("an empty secret: %q, %t, %v", value, exists, err)
	}
	must(c.SetSecret(ctx, shop, "two"))
	must(c.SetSecret(ctx, other, "three"))
	keys, err := c.ListSecrets(ctx, shop, false)
	must(err)
	all, err := c.ListSecrets(ctx, shop, true)
	must(err)
	if !slices.Equal(keys, []secretsmanager.Key{shop}) || !slices.Equal(all, []secretsmanager.Key{shop, other}) {
		t.Errorf("%v, %v", keys, all)
	}
	must(c.RenameSecret(ctx, shop, "store"))
	must(c.DeleteSecret(ctx, shop))
	items, err := c.AllSecrets(ctx)
	must(err)
	if want := []secretsmanager.Item{{Key: secretsmanager.Key{OrgID: 1, Namespace: "store", Type: "datasource"}, Value: "two"}, {Key: other, Value: "three"}}; !slices.Equal(items, want) {
		t.Errorf("%v", items)
	}
	if e, ok := errors.AsType[*sdk.Error](c.RenameSecret(ctx, shop, "x")); !ok || e.Message != `datasource "shop" has no secret` {
		t.Errorf("%v", e)
	}
	if _, err := k.QueryData(ctx, &sdk.QueryDataRequest{}); !errors.Is(err, backend.ErrUnsupported) {
		t.Errorf("QueryData returned %v", err)
	}
	none := sdktest.Start(t, sdk.Plugin{})
	if _, _, err := backend.NewSecretsManager(none.Conn()).Secret(ctx, shop); !errors.Is(err, backend.ErrUnsupported) {
		t.Errorf("%v", err)
	}
}
