package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/slipway-dev/slipway/host"
)

const folder = "Folder"

func scanFolder(row scanner) (f host.Folder, err error) {
	err = row.Scan(&f.ID, &f.UID, &f.Title)
	return f, err
}

// Folders returns the folders sorted by title.
func (s *Store) Folders(ctx context.Context, org int64, page Page) ([]host.Folder, error) {
	limit, offset := page.bounds()
	return list(ctx, s.read, scanFolder, `SELECT id, uid, title FROM folders
		WHERE org_id = $1 ORDER BY title LIMIT $2 OFFSET $3`, org, limit, offset)
}

// Folder returns a folder.
func (s *Store) Folder(ctx context.Context, org int64, uid string) (host.Folder, error) {
	f, err := find(ctx, s.read, scanFolder, "SELECT id, uid, title FROM folders WHERE org_id = $1 AND uid = $2", org, uid)
	return f, orNotFound(err, folder)
}

// CreateFolder stores a folder and returns it with its id. It assigns a uid if it is
// empty. Uid and title are unique in the organization.
func (s *Store) CreateFolder(ctx context.Context, org int64, f host.Folder) (host.Folder, error) {
	if err := f.Check(); err != nil {
		return host.Folder{}, err
	}
	if f.UID == "" {
		uid, err := host.NewUID(s.random)
		if err != nil {
			return host.Folder{}, fmt.Errorf("create folder: %w", err)
		}
		f.UID = uid
	}
	err := s.transact(ctx, func(tx *sql.Tx) (err error) {
		if err := s.checkQuota(ctx, tx, org, "folders", "folders", host.MaxFolders); err != nil {
			return err
		}
		f.ID, err = find(ctx, tx, scanOne[int64], "INSERT INTO folders (org_id, uid, title) VALUES ($1, $2, $3) RETURNING id",
			org, f.UID, f.Title)
		return orDuplicate(err, host.Duplicate("", "a folder with this title or uid already exists"))
	})
	return f, err
}

// RenameFolder changes the title of a folder.
func (s *Store) RenameFolder(ctx context.Context, org int64, f host.Folder) (host.Folder, error) {
	if err := f.Check(); err != nil {
		return host.Folder{}, err
	}
	err := s.transact(ctx, func(tx *sql.Tx) (err error) {
		f, err = find(ctx, tx, scanFolder,
			"UPDATE folders SET title = $1 WHERE org_id = $2 AND uid = $3 RETURNING id, uid, title", f.Title, org, f.UID)
		return orNotFound(orDuplicate(err, host.Duplicate("title", "a folder with this title already exists")), folder)
	})
	return f, err
}

// DeleteFolder deletes a folder with its dashboards and returns it.
func (s *Store) DeleteFolder(ctx context.Context, org int64, uid string) (f host.Folder, err error) {
	// Alone, so that nobody saves a dashboard into it at the same time.
	err = s.transactAlone(ctx, contentLock, func(tx *sql.Tx) error {
		f, err = find(ctx, tx, scanFolder,
			"DELETE FROM folders WHERE org_id = $1 AND uid = $2 RETURNING id, uid, title", org, uid)
		return orNotFound(err, folder)
	})
	return f, err
}
