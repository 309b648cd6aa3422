package api

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// avatarLength is the number of hexadecimal digits in the URL of an avatar.
const avatarLength = 32

func accountOf(a host.ServiceAccount) hostapi.Account {
	return hostapi.Account{ID: a.ID, Name: a.Name, Login: a.Login, OrgID: a.OrgID, IsDisabled: a.IsDisabled, Role: a.Role.String(),
		Tokens: a.Tokens, AvatarURL: avatarURL(a.Login), IsExternal: a.PluginID != "", RequiredBy: a.PluginID}
}

// avatarURL returns the path of the avatar of a user or service account.
func avatarURL(login string) string {
	sum := sha256.Sum256([]byte(login))
	return "/avatar/" + hex.EncodeToString(sum[:avatarLength/2])
}

// accountBody is the body of create and update requests. Null means absent.
type accountBody struct {
	Name       *string `json:"name"`
	Role       *string `json:"role"`
	IsDisabled *bool   `json:"isDisabled"`
}

func (b accountBody) change() (c store.AccountChange, err error) {
	c.Name, c.IsDisabled = b.Name, b.IsDisabled
	if b.Role == nil {
		return c, nil
	}
	role, err := host.ParseRole(*b.Role)
	c.Role = &role
	return c, err
}

func (a *API) createAccount(ctx context.Context, who host.Identity, in struct{ Body accountBody }) (hostapi.Account, error) {
	change, err := in.Body.change()
	if err != nil {
		return hostapi.Account{}, err
	}
	created := host.ServiceAccount{Role: host.RoleViewer} // the weakest role is the default
	change.Apply(&created)
	created, err = a.Store.CreateServiceAccount(ctx, who, created)
	return accountOf(created), err
}

func (a *API) account(ctx context.Context, who host.Identity, in idPath) (hostapi.Account, error) {
	found, err := a.Store.ServiceAccount(ctx, who.OrgID, in.ID)
	return accountOf(found), err
}

func (a *API) searchAccounts(ctx context.Context, who host.Identity, in struct {
	Query    string `query:"query"`
	Disabled bool   `query:"disabled"`
	perPageQuery
}) (hostapi.AccountPage, error) {
	filter := store.AccountFilter{Text: in.Query, OnlyDisabled: in.Disabled, Page: in.page()}
	found, total, err := a.Store.ServiceAccounts(ctx, who.OrgID, filter)
	return hostapi.AccountPage{TotalCount: total, Accounts: mapped(found, accountOf), Page: max(filter.Page.Number, 1), PerPage: filter.Page.Length()}, err
}

type accountUpdated struct {
	message
	ID      int64           `json:"id"`
	Name    string          `json:"name"`
	Account hostapi.Account `json:"serviceaccount"`
}

func (a *API) updateAccount(ctx context.Context, who host.Identity, in struct {
	idPath
	Body accountBody
}) (accountUpdated, error) {
	change, err := in.Body.change()
	if err != nil {
		return accountUpdated{}, err
	}
	updated, err := a.Store.UpdateServiceAccount(ctx, who, in.ID, change)
	return accountUpdated{message{Message: "Service account updated"}, in.ID, updated.Name, accountOf(updated)}, err
}

func (a *API) deleteAccount(ctx context.Context, who host.Identity, in idPath) (message, error) {
	return message{Message: "Service account deleted"}, a.Store.DeleteServiceAccount(ctx, who, in.ID)
}

func (a *API) accountTokens(ctx context.Context, who host.Identity, in struct {
	idPath
	perPageQuery
}) ([]hostapi.AccountToken, error) {
	page := store.Page{Limit: cmp.Or(in.PerPage, gate.MaxAccountTokens), Number: in.Page}
	found, err := a.Store.AccountTokens(ctx, who.OrgID, in.ID, page)
	now := a.Clock()
	return mapped(found, func(t host.AccountToken) hostapi.AccountToken {
		out := hostapi.AccountToken{
			ID: t.ID, Name: t.Name, Created: timeOrNil(t.Created), Expiration: timeOrNil(t.Expires),
			LastUsedAt: timeOrNil(t.LastUsed), HasExpired: host.HasExpired(t.Expires, now),
		}
		if out.Expiration != nil && !out.HasExpired {
			out.SecondsUntilExpiration = t.Expires.Sub(now).Seconds()
		}
		return out
	}), err
}

type tokenBody struct {
	Name string `json:"name" jsonschema:"required"`
	lifetime
}

func (a *API) createToken(ctx context.Context, who host.Identity, in struct {
	idPath
	Body tokenBody
}) (hostapi.NewKey, error) {
	field, seconds, err := in.Body.seconds()
	if err != nil {
		return hostapi.NewKey{}, err
	}
	life, err := host.TokenLifetime(field, seconds)
	if err == nil && life > 0 { // without one, the token lasts as long as it may
		err = who.CheckLifetime(field, life, a.Clock())
	}
	if err != nil {
		return hostapi.NewKey{}, err
	}
	token, secret, err := a.Store.CreateToken(ctx, who, in.ID, in.Body.Name, life)
	return hostapi.NewKey{ID: token.ID, Name: token.Name, Key: secret.Secret()}, err
}

func (a *API) deleteToken(ctx context.Context, who host.Identity, in struct {
	idPath
	TokenID int64 `path:"tokenId"`
}) (message, error) {
	return message{Message: "Service account token deleted"}, a.Store.DeleteToken(ctx, who, in.ID, in.TokenID)
}
