package api

import (
	"context"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

func (a *API) keys(ctx context.Context, who host.Identity, in struct {
	IncludeExpired bool `query:"includeExpired"`
	pageQuery
}) ([]hostapi.APIKey, error) {
	found, err := a.Store.APIKeys(ctx, who.OrgID, in.IncludeExpired, in.page())
	return mapped(found, func(k host.APIKey) hostapi.APIKey {
		return hostapi.APIKey{ID: k.ID, Name: k.Name, Role: k.Role.String(), Expiration: timeOrNil(k.Expires)}
	}), err
}

type keyBody struct {
	Name       string  `json:"name" jsonschema:"required"`
	Role       string  `json:"role" jsonschema:"required,enum=Viewer,enum=Editor,enum=Admin"`
	TimeToLive *string `json:"timeToLive"` // "30d"
	lifetime
}

// life returns the lifetime that the body requests, and the field with it, or "" for the default.
func (b keyBody) life() (field string, life time.Duration, err error) {
	field, seconds, err := b.seconds()
	if err != nil {
		return "", 0, err
	}
	if b.TimeToLive == nil || seconds < 0 {
		life, err = host.KeyLifetime(field, seconds)
		if seconds == 0 {
			field = ""
		}
		return field, life, err
	}
	if seconds != 0 {
		return "", 0, host.Invalid("timeToLive", "must not be combined with %s; send only one of them", field)
	}
	life, err = host.ParseTTL("timeToLive", *b.TimeToLive)
	return "timeToLive", life, err
}

func (a *API) createKey(ctx context.Context, who host.Identity, in struct{ Body keyBody }) (hostapi.NewKey, error) {
	field, life, err := in.Body.life()
	if err == nil && field != "" {
		err = who.CheckLifetime(field, life, a.Clock())
	}
	if err != nil {
		return hostapi.NewKey{}, err
	}
	role, err := host.ParseRole(in.Body.Role)
	if err != nil {
		return hostapi.NewKey{}, err
	}
	key, secret, err := a.Store.CreateAPIKey(ctx, who, host.APIKey{Name: in.Body.Name, Role: role}, life)
	return hostapi.NewKey{ID: key.ID, Name: key.Name, Key: secret.Secret()}, err
}

func (a *API) deleteKey(ctx context.Context, who host.Identity, in idPath) (message, error) {
	return message{Message: "API key deleted"}, a.Store.DeleteAPIKey(ctx, who, in.ID)
}

type migration struct {
	Total    int      `json:"total"`
	Migrated int      `json:"migrated"`
	Failed   int      `json:"failed"`
	IDs      []int64  `json:"failedApikeyIDs"`
	Details  []string `json:"failedDetails"`
}

// migrateKeys turns every key whose role is not above the caller's into the token of a service account.
func (a *API) migrateKeys(ctx context.Context, who host.Identity, _ none) (migration, error) {
	migrated, failures, err := a.Store.MigrateAPIKeys(ctx, who)
	return migration{
		migrated + len(failures), migrated, len(failures),
		mapped(failures, func(f store.KeyFailure) int64 { return f.Key.ID }),
		mapped(failures, func(f store.KeyFailure) string { return f.Key.Name + ": " + f.Err.Error() }),
	}, err
}

type keyMigrated struct {
	message
	Account hostapi.Account `json:"serviceaccount"`
}

func (a *API) migrateKey(ctx context.Context, who host.Identity, in struct {
	ID int64 `path:"keyId"`
}) (keyMigrated, error) {
	created, err := a.Store.MigrateAPIKey(ctx, who, in.ID)
	return keyMigrated{message{Message: "Service accounts migrated"}, accountOf(created)}, err
}

const migratePath = "/api/serviceaccounts/migrate/{keyId}"

// lifetime is a number of seconds under either of the names that clients use.
type lifetime struct {
	Camel *int64 `json:"secondsToLive"`
	Snake *int64 `json:"seconds_to_live"`
}

// seconds returns the name that was used and its value, or 0 if neither was.
func (l lifetime) seconds() (field string, seconds int64, err error) {
	switch {
	case l.Camel != nil && l.Snake != nil && *l.Camel != *l.Snake:
		return "", 0, host.Invalid("seconds_to_live", "must not differ from secondsToLive; send only one of them")
	case l.Snake != nil:
		return "seconds_to_live", *l.Snake, nil
	case l.Camel != nil:
		return "secondsToLive", *l.Camel, nil
	}
	return "secondsToLive", 0, nil
}

// timeOrNil returns nil for the zero time.
func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC())
}
