package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
)

const folder = "Folder"

const folderColumns = "id, uid, title, version, NULLIF(created_at, 0), created_by, NULLIF(updated_at, 0), updated_by"

const selectFolder = "SELECT " + folderColumns + " FROM folders WHERE org_id = $1 "

func scanFolder(row scanner) (f host.Folder, err error) {
	err = row.Scan(&f.ID, &f.UID, &f.Title, &f.Version, timeColumn{&f.Created}, &f.CreatedBy, timeColumn{&f.Updated}, &f.UpdatedBy)
	return f, err
}

// Folders returns the folders sorted by title; if only is not nil, those with these uids.
func (s *Store) Folders(ctx context.Context, org int64, only *[]string, page Page) ([]host.Folder, error) {
	limit, offset := page.bounds()
	where, args := "", []any{org, limit, offset}
	if only != nil {
		where = "AND uid IN " + in(&args, *only)
	}
	return list(ctx, s.read, scanFolder, selectFolder+where+" ORDER BY title LIMIT CAST($2 AS BIGINT) OFFSET $3", args...)
}

// Folder returns a folder.
func (s *Store) Folder(ctx context.Context, org int64, uid string) (host.Folder, error) {
	return get(ctx, s.read, folder, scanFolder, selectFolder+"AND uid = $2", org, uid)
}

// FolderByID returns the folder with a numeric id.
func (s *Store) FolderByID(ctx context.Context, org, id int64) (host.Folder, error) {
	return get(ctx, s.read, folder, scanFolder, selectFolder+"AND id = $2", org, id)
}

// FolderByTitle returns the folder with a title.
func (s *Store) FolderByTitle(ctx context.Context, org int64, title string) (host.Folder, error) {
	return get(ctx, s.read, folder, scanFolder, selectFolder+"AND title = $2", org, title)
}

// CreateFolder stores a folder that f.CreatedBy creates, and returns it with its id. It
// assigns a uid if it is empty. Uid and title are unique in the organization.
func (s *Store) CreateFolder(ctx context.Context, org int64, f host.Folder) (host.Folder, error) {
	if err := f.Check(); err != nil {
		return host.Folder{}, err
	}
	if f.UID == "" {
		f.UID = host.NewUID()
	}
	err := s.transact(ctx, func(tx *sql.Tx) (err error) {
		f, err = find(ctx, tx, scanFolder, `INSERT INTO folders (org_id, uid, title, created_at, created_by, updated_at, updated_by)
			VALUES ($1, $2, $3, $4, $5, $4, $5) RETURNING `+folderColumns, org, f.UID, f.Title, s.now(), f.CreatedBy)
		if err != nil {
			return orDuplicate(err, host.Duplicate("", "a folder with this title or uid already exists"))
		}
		return checkQuota(ctx, tx, org, f.ID, "folders", "folders", gate.MaxFolders)
	})
	return f, err
}

// RenameFolder changes the title of a folder on behalf of f.UpdatedBy. If f.Version is not
// 0, it must be the stored version.
func (s *Store) RenameFolder(ctx context.Context, org int64, f host.Folder) (host.Folder, error) {
	if err := f.Check(); err != nil {
		return host.Folder{}, err
	}
	err := s.transactAlone(ctx, contentLock, func(tx *sql.Tx) (err error) {
		if err := checkFolderVersion(ctx, tx, org, f.UID, f.Version); err != nil {
			return err
		}
		f, err = get(ctx, tx, folder, scanFolder, `UPDATE folders SET title = $1, version = version + 1, updated_at = $4, updated_by = $5
			WHERE org_id = $2 AND uid = $3 RETURNING `+folderColumns, f.Title, org, f.UID, s.now(), f.UpdatedBy)
		return orDuplicate(err, host.Duplicate("title", "a folder with this title already exists"))
	})
	return f, err
}

// checkFolderVersion returns host.ErrStale if version is neither 0 nor the stored one.
func checkFolderVersion(ctx context.Context, tx *sql.Tx, org int64, uid string, version int64) error {
	stored, err := get(ctx, tx, folder, scanOne[int64], "SELECT version FROM folders WHERE org_id = $1 AND uid = $2", org, uid)
	if err != nil {
		return err
	}
	if version != 0 && version != stored {
		return &host.Error{Category: host.ErrStale, Field: "version", ID: "version-mismatch",
			Message: fmt.Sprintf("version %d of this folder was saved in the meantime; read it again, or leave out version", stored)}
	}
	return nil
}

// DeleteFolder deletes a folder with its dashboards and returns it. If version is not 0,
// it must be the stored version. The first error of check for the uid of a dashboard in
// the folder ends the call; a nil check allows everything.
func (s *Store) DeleteFolder(ctx context.Context, org int64, uid string, version int64, check func(uid string) error) (f host.Folder, err error) {
	// Alone, so that nobody saves a dashboard into it at the same time.
	err = s.transactAlone(ctx, contentLock, func(tx *sql.Tx) error {
		if err := checkFolderVersion(ctx, tx, org, uid, version); err != nil {
			return err
		}
		if err := checkContents(ctx, tx, org, uid, check); err != nil {
			return err
		}
		f, err = get(ctx, tx, folder, scanFolder, "DELETE FROM folders WHERE org_id = $1 AND uid = $2 RETURNING "+folderColumns, org, uid)
		return err
	})
	return f, err
}

// checkContents returns the first error of check for the uid of a dashboard in a folder.
func checkContents(ctx context.Context, tx *sql.Tx, org int64, uid string, check func(uid string) error) error {
	if check == nil {
		return nil
	}
	uids, err := list(ctx, tx, scanOne[string], `SELECT d.uid FROM dashboards d JOIN folders f ON f.id = d.folder_id
		WHERE f.org_id = $1 AND f.uid = $2`, org, uid)
	if err != nil {
		return err
	}
	for _, uid := range uids {
		if err := check(uid); err != nil {
			return err
		}
	}
	return nil
}
