-- The parts of three characters of the names of playlists. A search for a text reads the
-- names that contain its rarest part, not all names.
CREATE TABLE playlist_trigrams (
	trigram     $TEXT NOT NULL, -- of name_folded
	playlist_id BIGINT NOT NULL REFERENCES playlists (id) ON DELETE CASCADE,
	PRIMARY KEY (trigram, playlist_id)
);
CREATE INDEX playlist_trigrams_of_playlist ON playlist_trigrams (playlist_id);
WITH RECURSIVE parts (id, rest) AS (
	SELECT id, name_folded FROM playlists
	UNION ALL SELECT id, substr(rest, 2) FROM parts WHERE length(rest) > 3)
INSERT INTO playlist_trigrams (trigram, playlist_id)
	SELECT DISTINCT substr(rest, 1, 3), id FROM parts WHERE length(rest) >= 3;

CREATE INDEX service_accounts_of_plugins ON service_accounts (org_id, id) WHERE plugin_id IS NOT NULL;
