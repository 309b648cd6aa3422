package api

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/host/store"
)

func (a *API) accountRoutes() []Route {
	const all, one = "serviceaccounts:id:*", "serviceaccounts:id:{id}"
	read, write := Action(access.ServiceAccountsRead), Action(access.ServiceAccountsWrite)
	create := Action(access.ServiceAccountsCreate, access.ServiceAccountsWrite)
	remove := Action(access.ServiceAccountsDelete, access.ServiceAccountsWrite)
	return []Route{
		{"POST", "/api/serviceaccounts", create.On(all), call(a.createAccount), Doc{Summary: "Create a service account", Status: http.StatusCreated}},
		{"GET", "/api/serviceaccounts/search", read.On(all), call(a.searchAccounts), Doc{Summary: "Search service accounts"}},
		{"GET", "/api/serviceaccounts/{id}", read.On(one), call(a.account), Doc{Summary: "Get a service account"}},
		{"PATCH", "/api/serviceaccounts/{id}", write.On(one), call(a.updateAccount), Doc{Summary: "Update a service account; that of a plugin can only be disabled or enabled, and only by an administrator"}},
		{"DELETE", "/api/serviceaccounts/{id}", remove.On(one), call(a.deleteAccount), Doc{Summary: "Delete a service account and its tokens; a plugin gets a new one when it starts again"}},
		{"GET", "/api/serviceaccounts/{id}/tokens", read.On(one), call(a.accountTokens), Doc{Summary: "List the tokens of a service account, at most perpage of them, or 5000 by default"}},
		{"POST", "/api/serviceaccounts/{id}/tokens", write.On(one), call(a.createToken), Doc{Summary: "Create a token; its secret is returned only once"}},
		{"DELETE", "/api/serviceaccounts/{id}/tokens/{tokenId}", write.On(one), call(a.deleteToken), Doc{Summary: "Delete a token; a plugin gets a new one when it starts again"}},
	}
}

// accountPath is the path of a service account.
type accountPath struct {
	ID int64 `path:"id"`
}

type account struct {
	ID         int64  `json:"id"`
	Name       string `json:"name"`
	Login      string `json:"login"`
	OrgID      int64  `json:"orgId"`
	IsDisabled bool   `json:"isDisabled"`
	Role       string `json:"role"`
	Tokens     int64  `json:"tokens"`
	AvatarURL  string `json:"avatarUrl"`
	IsExternal bool   `json:"isExternal,omitempty"` // belongs to a plugin
	RequiredBy string `json:"requiredBy,omitempty"` // the plugin
}

// avatarLength is the number of hexadecimal digits in the URL of an avatar.
const avatarLength = 32

func accountOf(a host.ServiceAccount) account {
	return account{a.ID, a.Name, a.Login, a.OrgID, a.IsDisabled, a.Role.String(), a.Tokens, avatarURL(a.Login), a.PluginID != "", a.PluginID}
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

func (a *API) createAccount(ctx context.Context, who host.Identity, in struct{ Body accountBody }) (account, error) {
	change, err := in.Body.change()
	if err != nil {
		return account{}, err
	}
	created := host.ServiceAccount{Role: host.RoleViewer} // the weakest role is the default
	change.Apply(&created)
	created, err = a.store.CreateServiceAccount(ctx, who, created)
	return accountOf(created), err
}

func (a *API) account(ctx context.Context, who host.Identity, in accountPath) (account, error) {
	found, err := a.store.ServiceAccount(ctx, who.OrgID, in.ID)
	return accountOf(found), err
}

// accountPage is a page of search results.
type accountPage struct {
	TotalCount int64     `json:"totalCount"`
	Accounts   []account `json:"serviceAccounts"`
	Page       int64     `json:"page"`
	PerPage    int64     `json:"perPage"`
}

func (a *API) searchAccounts(ctx context.Context, who host.Identity, in struct {
	Query    string `query:"query"`
	Disabled bool   `query:"disabled"`
	PerPage  int64  `query:"perpage"`
	Page     int64  `query:"page"`
}) (accountPage, error) {
	filter := store.AccountFilter{Text: in.Query, OnlyDisabled: in.Disabled, Page: store.Page{Limit: in.PerPage, Number: in.Page}}
	found, total, err := a.store.ServiceAccounts(ctx, who.OrgID, filter)
	return accountPage{total, mapped(found, accountOf), max(filter.Page.Number, 1), filter.Page.Length()}, err
}

type accountUpdated struct {
	message
	ID      int64   `json:"id"`
	Name    string  `json:"name"`
	Account account `json:"serviceaccount"`
}

func (a *API) updateAccount(ctx context.Context, who host.Identity, in struct {
	accountPath
	Body accountBody
}) (accountUpdated, error) {
	change, err := in.Body.change()
	if err != nil {
		return accountUpdated{}, err
	}
	updated, err := a.store.UpdateServiceAccount(ctx, who, in.ID, change)
	return accountUpdated{message{Message: "Service account updated"}, in.ID, updated.Name, accountOf(updated)}, err
}

func (a *API) deleteAccount(ctx context.Context, who host.Identity, in accountPath) (message, error) {
	return message{Message: "Service account deleted"}, a.store.DeleteServiceAccount(ctx, who, in.ID)
}

// accountToken is a token without its secret.
type accountToken struct {
	ID                     int64      `json:"id"`
	Name                   string     `json:"name"`
	Created                *time.Time `json:"created" jsonschema:"oneof_type=string;null"`
	Expiration             *time.Time `json:"expiration" jsonschema:"oneof_type=string;null"`
	LastUsedAt             *time.Time `json:"lastUsedAt" jsonschema:"oneof_type=string;null"`
	SecondsUntilExpiration float64    `json:"secondsUntilExpiration"`
	HasExpired             bool       `json:"hasExpired"`
}

func (a *API) accountTokens(ctx context.Context, who host.Identity, in struct {
	accountPath
	PerPage int64 `query:"perpage"`
	Page    int64 `query:"page"`
}) ([]accountToken, error) {
	page := store.Page{Limit: cmp.Or(in.PerPage, gate.MaxAccountTokens), Number: in.Page}
	found, err := a.store.AccountTokens(ctx, who.OrgID, in.ID, page)
	now := a.clock()
	return mapped(found, func(t host.AccountToken) accountToken {
		out := accountToken{
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
	accountPath
	Body tokenBody
}) (issued, error) {
	field, seconds, err := in.Body.seconds()
	if err != nil {
		return issued{}, err
	}
	life, err := host.TokenLifetime(field, seconds)
	if err == nil && life > 0 { // without one, the token lasts as long as it may
		err = who.CheckLifetime(field, life, a.clock())
	}
	if err != nil {
		return issued{}, err
	}
	token, secret, err := a.store.CreateToken(ctx, who, in.ID, in.Body.Name, life)
	return issued{token.ID, token.Name, secret.Secret()}, err
}

func (a *API) deleteToken(ctx context.Context, who host.Identity, in struct {
	accountPath
	TokenID int64 `path:"tokenId"`
}) (message, error) {
	return message{Message: "Service account token deleted"}, a.store.DeleteToken(ctx, who, in.ID, in.TokenID)
}
