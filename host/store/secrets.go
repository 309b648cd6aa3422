package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
)

// purpose binds a sealed secret to its owner and name: whoever can write to the database
// cannot move it to an owner that would send it elsewhere.
func purpose(org int64, owner, name string) string { return fmt.Sprintf("%d/%s/%s", org, owner, name) }

func secretNames(ctx context.Context, q querier, org int64, owner string) ([]string, error) {
	return list(ctx, q, scanOne[string], "SELECT name FROM secrets WHERE org_id = $1 AND owner = $2 ORDER BY name", org, owner)
}

// changeSecrets adds or replaces secrets, and removes those that are "". It returns an error
// (host.ErrInvalid) if the owner would then have more than gate.MaxSecrets, and more than before.
func (s *Store) changeSecrets(ctx context.Context, tx *sql.Tx, org int64, owner string, change map[string]string) error {
	before, err := secretNames(ctx, tx, org, owner)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(change)) {
		value := change[name]
		if value == "" {
			if err := exec(ctx, tx, "DELETE FROM secrets WHERE org_id = $1 AND owner = $2 AND name = $3", org, owner, name); err != nil {
				return err
			}
			continue
		}
		if s.box == nil {
			return &host.Error{Category: host.ErrUnavailable, Field: "secureJsonData", Message: "the host has no key to encrypt secrets; start it with one"}
		}
		sealed := s.box.Seal(value, purpose(org, owner, name))
		if err := exec(ctx, tx, `INSERT INTO secrets (org_id, owner, name, sealed) VALUES ($1, $2, $3, $4)
			ON CONFLICT (org_id, owner, name) DO UPDATE SET sealed = excluded.sealed`, org, owner, name, sealed); err != nil {
			return err
		}
	}
	names, err := secretNames(ctx, tx, org, owner)
	if err == nil && len(names) > max(gate.MaxSecrets, len(before)) {
		err = host.Invalid("secureJsonData", "must not have more than %d keys, found %d, including those already stored", gate.MaxSecrets, len(names))
	}
	return err
}

// ErrKey reports a key other than the one that the secrets of the database were encrypted with. A host with
// another key would store secrets that no single key can decrypt.
var ErrKey = errors.New("the secrets of this database were encrypted with another key: start the host with that key; if it is lost, " +
	"delete the rows of the table secrets, and enter the secrets again")

// checkKey returns ErrKey unless the key is that of the database. The first host with a key leaves a
// secret of its own, which the others must be able to decrypt.
func (s *Store) checkKey(ctx context.Context) error {
	if s.box == nil {
		return nil
	}
	const owner, name = "host", "key"
	sealed := s.box.Seal(name, purpose(MainOrg, owner, name))
	return s.transact(ctx, func(tx *sql.Tx) error {
		known, err := find(ctx, tx, scanOne[string], "SELECT sealed FROM secrets WHERE org_id = $1 AND owner = $2 AND name = $3", MainOrg, owner, name)
		if err == nil {
			if _, err := s.box.Open(known, purpose(MainOrg, owner, name)); err != nil {
				return ErrKey
			}
		} else if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		return exec(ctx, tx, "INSERT INTO secrets (org_id, owner, name, sealed) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
			MainOrg, owner, name, sealed)
	})
}

// needAgain returns an error if a stored secret is not in given.
func needAgain(ctx context.Context, tx *sql.Tx, org int64, owner string, given map[string]string) error {
	names, err := secretNames(ctx, tx, org, owner)
	for _, name := range names {
		if _, isGiven := given[name]; err == nil && !isGiven {
			err = host.Invalid("secureJsonData."+name, "must be entered again, or removed with null: "+
				"the type or an address changed, and stored secrets are never sent to another address")
		}
	}
	return err
}

// joinSecrets joins secrets s for openSecrets. What Seal returns contains no spaces.
const joinSecrets = "string_agg(s.sealed || ' ' || s.name, " + newline + " ORDER BY s.name)"

// openSecrets decrypts secrets. It returns host.ErrUnavailable for one that was encrypted with another key.
func (s *Store) openSecrets(org int64, owner, joined string) (map[string]string, error) {
	out := map[string]string{}
	for _, line := range lines(joined) {
		sealed, name, _ := strings.Cut(line, " ")
		err := host.ErrSealed
		if s.box != nil {
			out[name], err = s.box.Open(sealed, purpose(org, owner, name))
		}
		if err != nil {
			return nil, &host.Error{Category: host.ErrUnavailable, ID: "secrets.key", Message: fmt.Sprintf(
				"cannot decrypt secret %q of %s: %s; start the host with the original key, or enter the secret again", name, owner, err)}
		}
	}
	return out, nil
}
