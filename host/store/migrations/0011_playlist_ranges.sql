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
$COUNT_PLAYLISTS
INSERT INTO playlist_ranges (org_id, name, uid, playlists)
	SELECT org_id, CASE place WHEN 0 THEN '' ELSE name END, CASE place WHEN 0 THEN '' ELSE uid END,
		CASE WHEN total - place < 500 THEN total - place ELSE 500 END
	FROM (SELECT org_id, name, uid, ROW_NUMBER() OVER (PARTITION BY org_id ORDER BY name, uid) - 1 AS place,
		COUNT(*) OVER (PARTITION BY org_id) AS total FROM playlists) p
	WHERE place % 500 = 0;
