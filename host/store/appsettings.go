package store

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"strings"

	"github.com/slipway-dev/slipway/host"
)

// AppSettings returns the settings of an app without its secrets. By default, it is enabled.
func (s *Store) AppSettings(ctx context.Context, org int64, pluginID string) (host.AppSettings, error) {
	a, _, err := appSettings(ctx, s.read, org, pluginID)
	return a, err
}

// UnlockApp is AppSettings with the secrets.
func (s *Store) UnlockApp(ctx context.Context, org int64, pluginID string) (host.AppSettings, error) {
	a, secrets, err := appSettings(ctx, s.read, org, pluginID)
	if err == nil {
		a.Secrets, err = s.openSecrets(org, "plugin:"+pluginID, secrets)
	}
	return a, err
}

// appSettings returns the settings and the joined secrets, read in one statement.
func appSettings(ctx context.Context, q querier, org int64, pluginID string) (a host.AppSettings, secrets string, err error) {
	a, err = find(ctx, q, func(row scanner) (a host.AppSettings, err error) {
		err = row.Scan(&a.IsEnabled, &a.IsPinned, (*[]byte)(&a.JSON), timeColumn{&a.Updated}, &secrets)
		return a, err
	}, `SELECT p.is_enabled, p.is_pinned, p.settings, p.updated_at, COALESCE((SELECT `+joinSecrets+`
			FROM secrets s WHERE s.org_id = p.org_id AND s.owner = 'plugin:' || p.plugin_id), '')
		FROM plugin_settings p WHERE p.org_id = $1 AND p.plugin_id = $2`, org, pluginID)
	if errors.Is(err, sql.ErrNoRows) {
		a, err = host.AppSettings{IsEnabled: true, JSON: orEmpty(nil)}, nil
	}
	a.PluginID = pluginID
	for _, line := range lines(secrets) {
		_, name, _ := strings.Cut(line, " ")
		a.SecretNames = append(a.SecretNames, name)
	}
	return a, secrets, err
}

// SetAppSettings replaces the settings of an app. Secrets that are absent are kept; "" removes one.
func (s *Store) SetAppSettings(ctx context.Context, by host.Identity, a host.AppSettings) error {
	a.JSON = orEmpty(a.JSON)
	if err := a.Check(); err != nil {
		return err
	}
	err := s.transactAlone(ctx, sourceLock, func(tx *sql.Tx) error {
		stored, _, err := appSettings(ctx, tx, by.OrgID, a.PluginID)
		if err == nil && a.LeadsElsewhere(stored) {
			err = needAgain(ctx, tx, by.OrgID, "plugin:"+a.PluginID, a.Secrets)
		}
		if err != nil {
			return err
		}
		if err := exec(ctx, tx, `INSERT INTO plugin_settings (org_id, plugin_id, is_enabled, is_pinned, settings, updated_at)
			VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (org_id, plugin_id) DO UPDATE SET is_enabled = excluded.is_enabled, is_pinned = excluded.is_pinned,
				settings = excluded.settings, updated_at = excluded.updated_at`,
			by.OrgID, a.PluginID, a.IsEnabled, a.IsPinned, string(a.JSON), s.now()); err != nil {
			return err
		}
		return s.changeSecrets(ctx, tx, by.OrgID, "plugin:"+a.PluginID, a.Secrets)
	})
	s.audit(ctx, err, by, "plugin settings changed", slog.String("plugin", a.PluginID))
	return err
}
