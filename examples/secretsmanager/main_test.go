package main

import (
	"errors"
	"slices"
	"testing"

	"github.com/slipway-dev/slipway/internal/wire/secretspb"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/backend"
	"github.com/slipway-dev/slipway/sdk/sdktest"
	"github.com/slipway-dev/slipway/sdk/secretsmanager"
)

func TestSecrets(t *testing.T) {
	t.Parallel()
	k := sdktest.Start(t, secretsmanager.Plugin(&memory{values: map[secretsmanager.Key]string{}}))
	c, ctx := secretspb.NewSecretsManagerClient(k.Conn()), t.Context()
	shop := &secretspb.Key{OrgId: 1, Namespace: "shop", Type: "datasource"}
	other := &secretspb.Key{OrgId: 2, Namespace: "shop", Type: "datasource"}
	set := func(key *secretspb.Key, value string) {
		t.Helper()
		accepted(t)(c.SetSecret(ctx, &secretspb.SetSecretRequest{KeyDescriptor: key, Value: value}))
	}
	get := func() *secretspb.GetSecretResponse {
		t.Helper()
		out, err := c.GetSecret(ctx, &secretspb.GetSecretRequest{KeyDescriptor: shop})
		accepted(t)(out, err)
		return out
	}
	list := func(all bool) (found []secretsmanager.Key) {
		t.Helper()
		out, err := c.ListSecrets(ctx, &secretspb.ListSecretsRequest{KeyDescriptor: shop, AllOrganizations: all})
		accepted(t)(out, err)
		for _, k := range out.GetKeys() {
			found = append(found, secretsmanager.Key{OrgID: k.GetOrgId(), Namespace: k.GetNamespace(), Type: k.GetType()})
		}
		return found
	}
	if out := get(); out.GetDecryptedValue() != "" || out.GetExists() {
		t.Errorf("before it is stored: %v", out)
	}
	set(shop, "one")
	set(shop, "")
	if out := get(); out.GetDecryptedValue() != "" || !out.GetExists() {
		t.Errorf("an empty secret: %v", out)
	}
	set(shop, "two")
	set(other, "three")
	own := secretsmanager.Key{OrgID: 1, Namespace: "shop", Type: "datasource"}
	both := []secretsmanager.Key{own, {OrgID: 2, Namespace: "shop", Type: "datasource"}}
	if got, all := list(false), list(true); !slices.Equal(got, both[:1]) || !slices.Equal(all, both) {
		t.Errorf("%v, %v", got, all)
	}
	rename := &secretspb.RenameSecretRequest{KeyDescriptor: shop, NewNamespace: "store"}
	accepted(t)(c.RenameSecret(ctx, rename))
	accepted(t)(c.DeleteSecret(ctx, &secretspb.DeleteSecretRequest{KeyDescriptor: shop}))
	var got []string
	items, err := c.GetAllSecrets(ctx, &secretspb.GetAllSecretsRequest{})
	accepted(t)(items, err)
	for _, i := range items.GetItems() {
		got = append(got, i.GetKey().GetNamespace()+" "+i.GetValue())
	}
	if !slices.Equal(got, []string{"store two", "shop three"}) {
		t.Errorf("%q", got)
	}
	if out, err := c.RenameSecret(ctx, rename); err != nil || out.GetUserFriendlyError() != `datasource "shop" has no secret` {
		t.Errorf("%v, %v", out, err)
	}
	if _, err := k.QueryData(ctx, &sdk.QueryDataRequest{}); !errors.Is(err, backend.ErrUnsupported) {
		t.Errorf("QueryData returned %v", err)
	}
}

// accepted fails the test if a call fails or its response reports an error.
func accepted(t *testing.T) func(response interface{ GetUserFriendlyError() string }, err error) {
	return func(response interface{ GetUserFriendlyError() string }, err error) {
		t.Helper()
		if err != nil || response.GetUserFriendlyError() != "" {
			t.Fatal(response, err)
		}
	}
}
