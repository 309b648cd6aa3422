-- Ranges of the list of playlists, each with its first place and the number of playlists in
-- it, so that a deep page does not skip every playlist before it.
CREATE TABLE playlist_ranges (
	id        $AUTOID,
	org_id    BIGINT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
	name      $TEXT NOT NULL,
	uid       $TEXT NOT NULL,
	playlists BIGINT NOT NULL,
	UNIQUE (org_id, name, uid)
);
