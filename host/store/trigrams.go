package store

import (
	"context"
	"database/sql"
)

// If fewer than rareTrigram playlists have a trigram, reading all of them is cheap. For a
// more frequent one, the first page of matches is found sooner in the order of names.
const rareTrigram = 300

// maxTrigrams is how many trigrams of a string a search counts, so that a long string costs no
// more than a short one.
const maxTrigrams = 16

// trigrams returns the parts of three characters of a string, at most maxTrigrams.
func trigrams(text string) (parts []string) {
	runes := []rune(text)
	for i := 0; i+3 <= len(runes) && i < maxTrigrams; i++ {
		parts = append(parts, string(runes[i:i+3]))
	}
	return parts
}

// rareTrigramOf returns a trigram of a folded text that few playlists have, or "" if there
// is none.
func (s *Store) rareTrigramOf(ctx context.Context, text string) (string, error) {
	for _, part := range trigrams(text) {
		n, err := find(ctx, s.read, scanOne[int],
			"SELECT COUNT(*) FROM (SELECT 1 FROM playlist_trigrams WHERE trigram = $1 LIMIT CAST($2 AS BIGINT)) few", part, rareTrigram)
		if err != nil || n < rareTrigram {
			return part, err
		}
	}
	return "", nil
}

// indexName stores the trigrams of the name of a playlist, which has none yet.
func indexName(ctx context.Context, tx *sql.Tx, playlistID int64) error {
	_, err := tx.ExecContext(ctx, `WITH RECURSIVE parts (id, rest) AS (
			SELECT id, name_folded FROM playlists WHERE id = $1
			UNION ALL SELECT id, substr(rest, 2) FROM parts WHERE length(rest) > 3)
		INSERT INTO playlist_trigrams (trigram, playlist_id)
			SELECT DISTINCT substr(rest, 1, 3), id FROM parts WHERE length(rest) >= 3`, playlistID)
	return err
}
