package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
)

const dataSourceName = "Data source"

const dataSourceColumns = `id, org_id, uid, name, type, url, login, database_name, basic_auth, basic_auth_user,
	is_default, settings, version, updated_at`

const (
	selectDataSource = "SELECT " + dataSourceColumns + " FROM data_sources WHERE org_id = $1 "
	returnDataSource = "RETURNING " + dataSourceColumns
	// selectNamed also selects the names of the secrets, for scanNamed.
	selectNamed  = "SELECT " + dataSourceColumns + ", COALESCE((SELECT string_agg(s.name, " + newline + " ORDER BY s.name) " + secretsOfRow
	secretsOfRow = `FROM secrets s WHERE s.org_id = d.org_id AND s.owner = 'datasource:' || CAST(d.id AS TEXT)), '')
		FROM data_sources d WHERE org_id = $1 `
)

// scanDataSource scans dataSourceColumns and the columns after them.
func scanDataSource(row scanner, rest ...any) (d host.DataSource, err error) {
	err = row.Scan(append([]any{&d.ID, &d.OrgID, &d.UID, &d.Name, &d.Type, &d.URL, &d.User, &d.Database, &d.BasicAuth,
		&d.BasicAuthUser, &d.IsDefault, (*[]byte)(&d.JSON), &d.Version, timeColumn{&d.Updated}}, rest...)...)
	return d, err
}

func scanSource(row scanner) (host.DataSource, error) { return scanDataSource(row) }

func scanNamed(row scanner) (host.DataSource, error) {
	var secrets string
	d, err := scanDataSource(row, &secrets)
	d.SecretNames = lines(secrets)
	return d, err
}

func ownerOf(d host.DataSource) string { return fmt.Sprintf("datasource:%d", d.ID) }

// DataSources returns a page of data sources sorted by name, without their secrets. If
// only is not nil, it returns only data sources with these uids.
func (s *Store) DataSources(ctx context.Context, org int64, only *[]string, page Page) ([]host.DataSource, error) {
	limit, offset := page.bounds()
	where, args := "", []any{org, limit, offset}
	if only != nil {
		where = "AND uid IN " + in(&args, *only)
	}
	return list(ctx, s.read, scanNamed, selectNamed+where+" ORDER BY name LIMIT CAST($2 AS BIGINT) OFFSET $3", args...)
}

// DataSource returns a data source without its secrets.
func (s *Store) DataSource(ctx context.Context, org int64, uid string) (host.DataSource, error) {
	return s.dataSource(ctx, "AND uid = $2", org, uid)
}

// DataSourceByName returns a data source without its secrets.
func (s *Store) DataSourceByName(ctx context.Context, org int64, name string) (host.DataSource, error) {
	return s.dataSource(ctx, "AND name = $2", org, name)
}

// DataSourceByID returns the data source with a numeric id, without its secrets.
func (s *Store) DataSourceByID(ctx context.Context, org, id int64) (host.DataSource, error) {
	return s.dataSource(ctx, "AND id = $2", org, id)
}

// DataSourceOfType returns the data source that the id of a plugin alone refers to: the
// default one if it is of that type, or else the oldest of that type.
func (s *Store) DataSourceOfType(ctx context.Context, org int64, pluginID string) (host.DataSource, error) {
	return s.dataSource(ctx, "AND type = $2 ORDER BY is_default DESC, id LIMIT 1", org, pluginID)
}

func (s *Store) dataSource(ctx context.Context, where string, args ...any) (host.DataSource, error) {
	return get(ctx, s.read, dataSourceName, scanNamed, selectNamed+where, args...)
}

// Unlock returns a data source with its secrets. One statement reads both, so that a
// secret is never combined with the address of another version.
func (s *Store) Unlock(ctx context.Context, org int64, uid string) (host.DataSource, error) {
	var secrets string
	d, err := get(ctx, s.read, dataSourceName, func(row scanner) (host.DataSource, error) {
		return scanDataSource(row, &secrets)
	}, "SELECT "+dataSourceColumns+", COALESCE((SELECT "+joinSecrets+" "+secretsOfRow+"AND uid = $2", org, uid)
	if err != nil {
		return d, err
	}
	d.Secrets, err = s.openSecrets(org, ownerOf(d), secrets)
	return d, err
}

// CreateDataSource stores a data source with its secrets. It returns it without them.
func (s *Store) CreateDataSource(ctx context.Context, by host.Identity, d host.DataSource) (host.DataSource, error) {
	d.UID = cmp.Or(d.UID, host.NewUID())
	return s.saveDataSource(ctx, by, d, "data source created", func(tx *sql.Tx, d host.DataSource) (host.DataSource, error) {
		created, err := find(ctx, tx, scanSource, `INSERT INTO data_sources (org_id, uid, name, type, url, login, database_name,
				basic_auth, basic_auth_user, is_default, settings, updated_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) `+returnDataSource, columnsOf(d)...)
		if err == nil {
			err = checkQuota(ctx, tx, d.OrgID, created.ID, "data_sources", "data sources", gate.MaxDataSources)
		}
		return created, err
	})
}

// UpdateDataSource replaces the data source with the uid. Secrets that are absent are kept; "" removes one.
func (s *Store) UpdateDataSource(ctx context.Context, by host.Identity, d host.DataSource) (host.DataSource, error) {
	return s.saveDataSource(ctx, by, d, "data source changed", func(tx *sql.Tx, d host.DataSource) (host.DataSource, error) {
		stored, err := get(ctx, tx, dataSourceName, scanSource, selectDataSource+"AND uid = $2", d.OrgID, d.UID)
		if err != nil {
			return d, err
		}
		if 0 < d.Version && d.Version < stored.Version {
			return d, &host.Error{Category: host.ErrDuplicate, ID: "datasources.version-mismatch", Message: "the data source has been changed by someone else: read it again"}
		}
		if d.LeadsElsewhere(stored) { // the person who changed the address could read the secrets
			if err := needAgain(ctx, tx, d.OrgID, ownerOf(stored), d.Secrets); err != nil {
				return d, err
			}
		}
		return get(ctx, tx, dataSourceName, scanSource, `UPDATE data_sources SET name = $3, type = $4, url = $5, login = $6,
				database_name = $7, basic_auth = $8, basic_auth_user = $9, is_default = $10, settings = $11, updated_at = $12,
				version = version + 1
			WHERE org_id = $1 AND uid = $2 `+returnDataSource, columnsOf(d)...)
	})
}

func columnsOf(d host.DataSource) []any {
	return []any{d.OrgID, d.UID, d.Name, d.Type, d.URL, d.User, d.Database, d.BasicAuth, d.BasicAuthUser, d.IsDefault,
		string(d.JSON), d.Updated.UnixMilli()}
}

func (s *Store) saveDataSource(ctx context.Context, by host.Identity, d host.DataSource, event string,
	save func(*sql.Tx, host.DataSource) (host.DataSource, error)) (host.DataSource, error) {
	d.OrgID, d.Updated = by.OrgID, s.clock()
	d.JSON = orEmpty(d.JSON)
	if err := d.Check(); err != nil {
		return host.DataSource{}, err
	}
	var saved host.DataSource
	err := s.transactAlone(ctx, sourceLock, func(tx *sql.Tx) (err error) {
		if d.IsDefault {
			const only = "UPDATE data_sources SET is_default = FALSE WHERE org_id = $1 AND is_default AND uid <> $2"
			if err := exec(ctx, tx, only, d.OrgID, d.UID); err != nil {
				return err
			}
		}
		if err := checkSettingsQuota(ctx, tx, d); err != nil {
			return err
		}
		if saved, err = save(tx, d); err != nil {
			return orDuplicate(err, host.Duplicate("name", "a data source with this name or uid already exists"))
		}
		if err := s.changeSecrets(ctx, tx, d.OrgID, ownerOf(saved), d.Secrets); err != nil {
			return err
		}
		saved.SecretNames, err = secretNames(ctx, tx, d.OrgID, ownerOf(saved))
		return err
	})
	s.audit(ctx, err, by, event, slog.String("uid", saved.UID), slog.String("name", saved.Name), slog.String("type", saved.Type))
	return saved, err
}

// checkSettingsQuota returns an error (host.ErrThrottled) if the settings of all data
// sources, of which a list contains up to gate.MaxPageLength, would be too large.
func checkSettingsQuota(ctx context.Context, tx *sql.Tx, d host.DataSource) error {
	others, err := find(ctx, tx, scanOne[int64],
		"SELECT COALESCE(SUM(octet_length(settings)), 0) FROM data_sources WHERE org_id = $1 AND uid <> $2", d.OrgID, d.UID)
	if err == nil && others+int64(len(d.JSON)) > gate.MaxDataSourceSettings {
		err = host.TooMany("bytes of settings of data sources", gate.MaxDataSourceSettings)
	}
	return err
}

// orEmpty returns settings, or {} if they are empty.
func orEmpty(settings json.RawMessage) json.RawMessage {
	return json.RawMessage(cmp.Or(string(settings), "{}"))
}

// DeleteDataSource deletes a data source with its secrets and returns it.
func (s *Store) DeleteDataSource(ctx context.Context, by host.Identity, uid string) (d host.DataSource, err error) {
	err = s.transact(ctx, func(tx *sql.Tx) error {
		if d, err = get(ctx, tx, dataSourceName, scanSource, "DELETE FROM data_sources WHERE org_id = $1 AND uid = $2 "+returnDataSource, by.OrgID, uid); err != nil {
			return err
		}
		return exec(ctx, tx, "DELETE FROM secrets WHERE org_id = $1 AND owner = $2", by.OrgID, ownerOf(d))
	})
	s.audit(ctx, err, by, "data source deleted", slog.String("uid", uid), slog.String("name", d.Name))
	return d, err
}
