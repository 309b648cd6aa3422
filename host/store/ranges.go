package store

import (
	"context"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/host"
)

// freeSkip is how many playlists a page skips without looking for the range in which it
// begins: about as many as a range contains.
const freeSkip = 1000

// allPlaylists returns a part of the list of all playlists. It skips ranges of the list
// without reading their playlists: playlist_ranges has the number of each, and triggers keep it
// up to date.
func (s *Store) allPlaylists(ctx context.Context, org, limit, offset int64) ([]host.Playlist, error) {
	if offset <= freeSkip {
		return list(ctx, s.read, scanPlaylist(org), `SELECT uid, name, rotation FROM playlists WHERE org_id = $1
			ORDER BY name, uid LIMIT CAST($2 AS BIGINT) OFFSET $3`, org, limit, offset)
	}
	return list(ctx, s.read, scanPlaylist(org), `WITH start AS (
			SELECT name, uid, before FROM (
				SELECT name, uid, CAST(SUM(playlists) OVER (ORDER BY name, uid) AS BIGINT) - playlists AS before FROM playlist_ranges WHERE org_id = $1) r
			WHERE before <= $3 ORDER BY before DESC LIMIT 1)
		SELECT uid, name, rotation FROM playlists WHERE org_id = $1 AND (name, uid) >= (SELECT name, uid FROM start)
		ORDER BY name, uid LIMIT CAST($2 AS BIGINT) OFFSET COALESCE($3 - (SELECT before FROM start), 0)`, org, limit, offset)
}

// changeRange is the statement of a trigger that adds a number to the playlists of the
// range that contains a row.
func changeRange(row, change string) string {
	return strings.ReplaceAll(`UPDATE playlist_ranges SET playlists = playlists `+change+` WHERE id = (
		SELECT id FROM playlist_ranges WHERE org_id = ROW.org_id AND (name, uid) <= (ROW.name, ROW.uid)
		ORDER BY name DESC, uid DESC LIMIT 1);`, "ROW", row)
}

// addPlaylist and removePlaylist are statements of triggers. The first range of an organization
// begins before all names.
func addPlaylist() string {
	return `INSERT INTO playlist_ranges (org_id, name, uid, playlists) VALUES (NEW.org_id, '', '', 0) ON CONFLICT DO NOTHING;
		` + changeRange("NEW", "+ 1")
}

func removePlaylist() string { return changeRange("OLD", "- 1") }

// splitRange divides a range of more than 1,000 playlists, and dropRange drops an empty one.
const (
	splitRange = `INSERT INTO playlist_ranges (org_id, name, uid, playlists)
			SELECT org_id, name, uid, NEW.playlists - 500 FROM playlists WHERE org_id = NEW.org_id AND (name, uid) >= (NEW.name, NEW.uid)
			ORDER BY name, uid LIMIT 1 OFFSET 500;
		UPDATE playlist_ranges SET playlists = 500 WHERE id = NEW.id;`
	dropRange = `DELETE FROM playlist_ranges WHERE id = NEW.id AND uid <> '';`
)

func sqliteCountPlaylists() string {
	return `
CREATE TRIGGER playlist_inserted AFTER INSERT ON playlists BEGIN ` + addPlaylist() + ` END;
CREATE TRIGGER playlist_deleted AFTER DELETE ON playlists BEGIN ` + removePlaylist() + ` END;
CREATE TRIGGER playlist_renamed AFTER UPDATE OF name ON playlists BEGIN ` + removePlaylist() + addPlaylist() + ` END;
CREATE TRIGGER range_grown AFTER UPDATE OF playlists ON playlist_ranges WHEN NEW.playlists > 1000 BEGIN ` + splitRange + ` END;
CREATE TRIGGER range_emptied AFTER UPDATE OF playlists ON playlist_ranges WHEN NEW.playlists = 0 BEGIN ` + dropRange + ` END;`
}

// postgresCountPlaylists is sqliteCountPlaylists for PostgreSQL. Without the lock, a transaction
// could change a range that another one divides. Statements must insert one playlist each:
// these triggers run after all rows are there.
func postgresCountPlaylists() string {
	return `
CREATE FUNCTION count_playlists() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	PERFORM pg_advisory_xact_lock(` + strconv.FormatInt(playlistLock, 10) + `);
	IF TG_OP <> 'INSERT' THEN ` + removePlaylist() + ` END IF;
	IF TG_OP <> 'DELETE' THEN ` + addPlaylist() + ` END IF;
	RETURN NULL;
END $$;
CREATE TRIGGER playlist_counted AFTER INSERT OR DELETE OR UPDATE OF name ON playlists
	FOR EACH ROW EXECUTE FUNCTION count_playlists();
CREATE FUNCTION divide_range() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	IF NEW.playlists = 0 THEN ` + dropRange + ` ELSE ` + splitRange + ` END IF;
	RETURN NULL;
END $$;
CREATE TRIGGER range_changed AFTER UPDATE OF playlists ON playlist_ranges
	FOR EACH ROW WHEN (NEW.playlists > 1000 OR NEW.playlists = 0) EXECUTE FUNCTION divide_range();`
}
