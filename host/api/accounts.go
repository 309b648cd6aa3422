package api

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
)

func (a *API) accountRoutes() []Route {
	const all, one = "serviceaccounts:id:*", "serviceaccounts:id:{id}"
	read, write := Action(host.ActionServiceAccountsRead), Action(host.ActionServiceAccountsWrite)
	create := Action(host.ActionServiceAccountsCreate, host.ActionServiceAccountsWrite)
	remove := Action(host.ActionServiceAccountsDelete, host.ActionServiceAccountsWrite)
	return []Route{
		{"POST", "/api/serviceaccounts", create.On(all), a.createAccount,
			Doc{Summary: "Create a service account", Body: accountBody{}, Answer: account{}, Status: http.StatusCreated}},
		{"GET", "/api/serviceaccounts/search", read.On(all), a.searchAccounts,
			Doc{Summary: "Search service accounts", Query: []string{"query", "disabled bool", "perpage int", "page int"}, Answer: accountPage{}}},
		{"GET", "/api/serviceaccounts/{id}", read.On(one), a.account,
			Doc{Summary: "Read a service account", Answer: account{}}},
		{"PATCH", "/api/serviceaccounts/{id}", write.On(one), a.updateAccount,
			Doc{Summary: "Change a service account", Body: accountBody{}, Answer: accountUpdated{}}},
		{"DELETE", "/api/serviceaccounts/{id}", remove.On(one), a.deleteAccount,
			Doc{Summary: "Delete a service account and its tokens", Answer: message{}}},
		{"GET", "/api/serviceaccounts/{id}/tokens", read.On(one), a.accountTokens,
			Doc{Summary: "List the tokens of a service account", Answer: []accountToken{}}},
		{"POST", "/api/serviceaccounts/{id}/tokens", write.On(one), a.createToken,
			Doc{Summary: "Create a token; the answer is the only one that shows it", Body: tokenBody{}, Answer: issued{}}},
		{"DELETE", "/api/serviceaccounts/{id}/tokens/{tokenId}", write.On(one), a.deleteToken,
			Doc{Summary: "Delete a token", Answer: message{}}},
	}
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
	RequiredBy string `json:"requiredBy,omitempty"` // the plugin whose account it is
}

// avatarLength is the number of hexadecimal digits in the URL of an avatar.
const avatarLength = 32

func accountOf(a host.ServiceAccount) account {
	sum := sha256.Sum256([]byte(a.Login))
	avatar := "/avatar/" + hex.EncodeToString(sum[:avatarLength/2])
	return account{a.ID, a.Name, a.Login, a.OrgID, a.IsDisabled, a.Role.String(), a.Tokens, avatar, a.PluginID}
}

// accountBody is what create and update accept; null is absent.
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

func (a *API) createAccount(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	body, err := decode[accountBody](w, r)
	if err != nil {
		return err
	}
	change, err := body.change()
	if err != nil {
		return err
	}
	created := host.ServiceAccount{Role: host.RoleViewer} // the weakest, if none is asked for
	change.Apply(&created)
	if created, err = a.store.CreateServiceAccount(r.Context(), who, created); err != nil {
		return err
	}
	return answer(w, http.StatusCreated, accountOf(created))
}

func (a *API) account(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	found, err := a.store.ServiceAccount(r.Context(), who.OrgID, id)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, accountOf(found))
}

// accountPage is a page of a search.
type accountPage struct {
	TotalCount int64     `json:"totalCount"`
	Accounts   []account `json:"serviceAccounts"`
	Page       int64     `json:"page"`
	PerPage    int64     `json:"perPage"`
}

func (a *API) searchAccounts(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	values, err := query(r)
	if err != nil {
		return err
	}
	filter := store.AccountFilter{Text: values.Get("query")}
	if filter.Page, err = page(values, "perpage"); err != nil {
		return err
	}
	if filter.OnlyDisabled, err = flag(values, "disabled"); err != nil {
		return err
	}
	found, total, err := a.store.ServiceAccounts(r.Context(), who.OrgID, filter)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, accountPage{total, mapped(found, accountOf), max(filter.Page.Number, 1), filter.Page.Length()})
}

type accountUpdated struct {
	message
	ID      int64   `json:"id"`
	Name    string  `json:"name"`
	Account account `json:"serviceaccount"`
}

func (a *API) updateAccount(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	body, err := decode[accountBody](w, r)
	if err != nil {
		return err
	}
	change, err := body.change()
	if err != nil {
		return err
	}
	updated, err := a.store.UpdateServiceAccount(r.Context(), who, id, change)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, accountUpdated{message{Message: "Service account updated"}, id, updated.Name, accountOf(updated)})
}

func (a *API) deleteAccount(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	if err := a.store.DeleteServiceAccount(r.Context(), who, id); err != nil {
		return err
	}
	return answer(w, http.StatusOK, message{Message: "Service account deleted"})
}

// accountToken is what is known of a token after it was shown once.
type accountToken struct {
	ID                     int64      `json:"id"`
	Name                   string     `json:"name"`
	Created                *time.Time `json:"created" jsonschema:"oneof_type=string;null"`
	Expiration             *time.Time `json:"expiration" jsonschema:"oneof_type=string;null"`
	LastUsedAt             *time.Time `json:"lastUsedAt" jsonschema:"oneof_type=string;null"`
	SecondsUntilExpiration float64    `json:"secondsUntilExpiration"`
	HasExpired             bool       `json:"hasExpired"`
}

func (a *API) accountTokens(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	found, err := a.store.AccountTokens(r.Context(), who.OrgID, id)
	if err != nil {
		return err
	}
	now := a.clock()
	return answer(w, http.StatusOK, mapped(found, func(t host.AccountToken) accountToken {
		out := accountToken{ID: t.ID, Name: t.Name, Created: timeOrNil(t.Created), Expiration: timeOrNil(t.Expires),
			LastUsedAt: timeOrNil(t.LastUsed),
			HasExpired: host.HasExpired(t.Expires, now)}
		if out.Expiration != nil && !out.HasExpired {
			out.SecondsUntilExpiration = t.Expires.Sub(now).Seconds()
		}
		return out
	}))
}

type tokenBody struct {
	Name string `json:"name" jsonschema:"required"`
	lifetime
}

func (a *API) createToken(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	body, err := decode[tokenBody](w, r)
	if err != nil {
		return err
	}
	field, seconds, err := body.seconds()
	if err != nil {
		return err
	}
	life, err := host.TokenLifetime(field, seconds)
	if err != nil {
		return err
	}
	token, secret, err := a.store.CreateToken(r.Context(), who, id, body.Name, life)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, issued{token.ID, token.Name, secret.Secret()})
}

func (a *API) deleteToken(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	tokenID, err := pathID(r, "tokenId")
	if err != nil {
		return err
	}
	if err := a.store.DeleteToken(r.Context(), who, id, tokenID); err != nil {
		return err
	}
	return answer(w, http.StatusOK, message{Message: "Service account token deleted"})
}
