-- The parts of three characters of the names of playlists. A search for a text reads the
-- names that contain its rarest part, not all names.
CREATE TABLE playlist_trigrams (
	trigram     $TEXT NOT NULL, -- of name_folded
	playlist_id BIGINT NOT NULL REFERENCES playlists (id) ON DELETE CASCADE,
	PRIMARY KEY (trigram, playlist_id)
);
CREATE INDEX playlist_trigrams_of_playlist ON playlist_trigrams (playlist_id);
CREATE INDEX service_accounts_of_plugins ON service_accounts (org_id, id) WHERE plugin_id IS NOT NULL;
