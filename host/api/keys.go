package api

import (
	"net/http"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
)

func (a *API) keyRoutes() []Route {
	const all, one = "apikeys:id:*", "apikeys:id:{id}"
	manage := host.ActionServiceAccountsWrite // whoever manages accounts manages keys too
	return []Route{
		{"GET", "/api/auth/keys", Action(host.ActionAPIKeysRead, manage).On(all), deprecated(a.keys),
			Doc{Summary: "List API keys (deprecated)", Query: []string{"includeExpired bool"}, Answer: []apiKey{}}},
		{"POST", "/api/auth/keys", Action(host.ActionAPIKeysCreate, manage), deprecated(a.createKey),
			Doc{Summary: "Create an API key (deprecated)", Body: keyBody{}, Answer: issued{}}},
		{"DELETE", "/api/auth/keys/{id}", Action(host.ActionAPIKeysDelete, manage).On(one), deprecated(a.deleteKey),
			Doc{Summary: "Delete an API key (deprecated)", Answer: message{}}},
		{"GET", "/api/serviceaccounts/migrationstatus", Action(host.ActionAPIKeysCreate, manage).On(all), a.migrationStatus,
			Doc{Summary: "Tell whether all API keys were migrated", Answer: migrationStatus{}}},
		{"POST", "/api/serviceaccounts/migrate", Action(host.ActionAPIKeysCreate, manage).On(all), a.migrateKeys,
			Doc{Summary: "Make every API key the token of a service account", Answer: migration{}}},
		// Not /api/serviceaccounts/migrate/{id}, which no mux can tell from {id}/tokens.
		{"POST", "/api/auth/keys/{id}/migrate", Action(host.ActionAPIKeysCreate, manage).On(one), deprecated(a.migrateKey),
			Doc{Summary: "Make an API key the token of a service account", Answer: keyMigrated{}}},
	}
}

// deprecated says in the headers of RFC 9745 that service accounts replace keys,
// since version 9.1 of the service (August 2022).
func deprecated(handle Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request, who host.Identity) error {
		w.Header().Set("Deprecation", "@1660608000")
		w.Header().Set("Link", `</api/serviceaccounts>; rel="successor-version"`)
		return handle(w, r, who)
	}
}

// apiKey is what is known of a key after it was shown once.
type apiKey struct {
	ID         int64      `json:"id"`
	Name       string     `json:"name"`
	Role       string     `json:"role"`
	Expiration *time.Time `json:"expiration,omitempty"`
}

func (a *API) keys(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	values, err := query(r)
	if err != nil {
		return err
	}
	withExpired, err := flag(values, "includeExpired")
	if err != nil {
		return err
	}
	found, err := a.store.APIKeys(r.Context(), who.OrgID, withExpired)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, mapped(found, func(k host.APIKey) apiKey {
		return apiKey{k.ID, k.Name, k.Role.String(), timeOrNil(k.Expires)}
	}))
}

// issued is a new key or token, the only answer that holds a secret.
type issued struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	Key  string `json:"key"`
}

type keyBody struct {
	Name       string  `json:"name" jsonschema:"required"`
	Role       string  `json:"role" jsonschema:"required,enum=Viewer,enum=Editor,enum=Admin"`
	TimeToLive *string `json:"timeToLive"` // "30d"
	lifetime
}

func (a *API) createKey(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	body, err := decode[keyBody](w, r)
	if err != nil {
		return err
	}
	field, seconds, err := body.seconds()
	if err != nil {
		return err
	}
	life, err := host.KeyLifetime(field, seconds)
	if err == nil && body.TimeToLive != nil {
		if seconds != 0 {
			return host.Invalid("timeToLive", "is given beside %s; send one of them", field)
		}
		life, err = host.ParseTTL("timeToLive", *body.TimeToLive)
	}
	if err != nil {
		return err
	}
	role, err := host.ParseRole(body.Role)
	if err != nil {
		return err
	}
	key, secret, err := a.store.CreateAPIKey(r.Context(), who, host.APIKey{Name: body.Name, Role: role}, life)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, issued{key.ID, key.Name, secret.Secret()})
}

func (a *API) deleteKey(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	if err := a.store.DeleteAPIKey(r.Context(), who, id); err != nil {
		return err
	}
	return answer(w, http.StatusOK, message{Message: "API key deleted"})
}

type migrationStatus struct {
	Migrated bool `json:"migrated"`
}

func (a *API) migrationStatus(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	migrated, err := a.store.KeysMigrated(r.Context(), who.OrgID)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, migrationStatus{migrated})
}

type migration struct {
	Total    int      `json:"total"`
	Migrated int      `json:"migrated"`
	Failed   int      `json:"failed"`
	IDs      []int64  `json:"failedApikeyIDs"`
	Details  []string `json:"failedDetails"`
}

// migrateKeys turns every key into the token of a service account. Keys of a role
// above the caller's stay, and the answer says so.
func (a *API) migrateKeys(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	migrated, faults, err := a.store.MigrateAPIKeys(r.Context(), who)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, migration{
		migrated + len(faults), migrated, len(faults),
		mapped(faults, func(f store.KeyFault) int64 { return f.Key.ID }),
		mapped(faults, func(f store.KeyFault) string { return f.Key.Name + ": " + f.Err.Error() }),
	})
}

type keyMigrated struct {
	message
	Account account `json:"serviceaccount"`
}

func (a *API) migrateKey(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	made, err := a.store.MigrateAPIKey(r.Context(), who, id)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, keyMigrated{message{Message: "API key migrated to a service account"}, accountOf(made)})
}

// lifetime is the number of seconds under both names that clients use.
type lifetime struct {
	Camel *int64 `json:"secondsToLive"`
	Snake *int64 `json:"seconds_to_live"`
}

// seconds returns the name that was used and its value, 0 if it was not given.
func (l lifetime) seconds() (field string, seconds int64, err error) {
	switch {
	case l.Camel != nil && l.Snake != nil && *l.Camel != *l.Snake:
		return "", 0, host.Invalid("seconds_to_live", "differs from secondsToLive; send one of them")
	case l.Snake != nil:
		return "seconds_to_live", *l.Snake, nil
	case l.Camel != nil:
		return "secondsToLive", *l.Camel, nil
	}
	return "secondsToLive", 0, nil
}

// timeOrNil is a time in an answer; the zero time is null.
func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
