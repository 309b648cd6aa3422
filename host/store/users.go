package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/host"
)

// User returns the user with a login.
func (s *Store) User(ctx context.Context, login string) (host.User, error) {
	return get(ctx, s.read, "User", scanUser, selectUser, login)
}

const userColumns = "id, org_id, login, role, is_disabled, password_hash, is_service_admin"

const selectUser = "SELECT " + userColumns + " FROM users WHERE login = $1"

// UserByID returns the user of an organization with a numeric id.
func (s *Store) UserByID(ctx context.Context, org, id int64) (host.User, error) {
	return get(ctx, s.read, "User", scanUser, "SELECT "+userColumns+" FROM users WHERE org_id = $1 AND id = $2", org, id)
}

func scanUser(row scanner) (u host.User, err error) {
	err = row.Scan(&u.ID, &u.OrgID, &u.Login, roleColumn{&u.Role}, &u.IsDisabled, &u.PasswordHash, &u.IsServiceAdmin)
	return u, err
}

// Users returns a page of users whose login contains text, ignoring case, sorted by login.
func (s *Store) Users(ctx context.Context, org int64, text string, page Page) ([]host.User, error) {
	limit, offset := page.bounds()
	return list(ctx, s.read, scanUser, "SELECT "+userColumns+` FROM users
		WHERE org_id = $1 AND ($4 = '' OR LOWER(login) LIKE $4 ESCAPE '!') ORDER BY login LIMIT CAST($2 AS BIGINT) OFFSET $3`,
		org, limit, offset, containing(strings.ToLower(text)))
}

// EnsureAdmin makes sure that the user host.AdminLogin exists, is an enabled Admin and, if
// password is not empty, has that password; a new password ends the sessions of the admin.
// If password is empty, the first start generates one and returns it; later starts return
// "". If the disk is full, an existing admin keeps its password, so that the host can start.
func (s *Store) EnsureAdmin(ctx context.Context, password string) (generated string, err error) {
	before, err := s.User(ctx, host.AdminLogin)
	isNew := errors.Is(err, host.ErrNotFound)
	if err != nil && !isNew {
		return "", err
	}
	if password == "" && isNew {
		generated = host.NewUID()
		password = generated
	}
	if password == "" {
		return "", nil
	}
	hash, err := host.HashPassword(password)
	if err != nil {
		return "", err
	}
	isKept := !isNew && host.IsPassword(password, before.PasswordHash) // slow, so not in the transaction
	err = s.transactAccess(ctx, func(tx *sql.Tx) error {
		admin, err := find(ctx, tx, scanUser, selectUser, host.AdminLogin)
		if errors.Is(err, sql.ErrNoRows) {
			return exec(ctx, tx, "INSERT INTO users (org_id, login, role, password_hash, is_service_admin) VALUES ($1, $2, $3, $4, TRUE)",
				MainOrg, host.AdminLogin, host.RoleAdmin.String(), hash)
		}
		if err != nil {
			return err
		}
		if generated != "" { // another host has just created the admin and shows its password
			generated = ""
			return nil
		}
		if !isKept {
			if err := exec(ctx, tx, "DELETE FROM sessions WHERE user_id = $1", admin.ID); err != nil {
				return err
			}
		}
		return exec(ctx, tx, "UPDATE users SET password_hash = $1, role = $2, is_disabled = FALSE, is_service_admin = TRUE WHERE login = $3",
			hash, host.RoleAdmin.String(), host.AdminLogin)
	})
	if errors.Is(err, host.ErrFull) && !isNew {
		s.log.WarnContext(ctx, "the password of the admin was not stored: the previous one remains valid", "error", err)
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("set up the admin: %w", err)
	}
	return generated, nil
}

const organization = "Organization"

// OrgName returns the name of an organization.
func (s *Store) OrgName(ctx context.Context, org int64) (string, error) {
	return get(ctx, s.read, organization, scanOne[string], "SELECT name FROM orgs WHERE id = $1", org)
}
