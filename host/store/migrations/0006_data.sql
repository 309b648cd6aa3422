-- Models are large and only read one at a time: a search must not walk them.
CREATE TABLE dashboard_models (
	dashboard_id BIGINT PRIMARY KEY REFERENCES dashboards (id) ON DELETE CASCADE,
	model        $TEXT NOT NULL -- a JSON object
);
INSERT INTO dashboard_models (dashboard_id, model) SELECT id, model FROM dashboards;
ALTER TABLE dashboards DROP COLUMN model;

DROP INDEX dashboards_by_title;
CREATE INDEX dashboards_by_title ON dashboards (org_id, title, id, title_folded);
CREATE INDEX dashboards_in_folder ON dashboards (folder_id, title, id, title_folded);

-- A search by a part of the name reads an index that contains all it needs.
DROP INDEX playlists_by_name;
CREATE INDEX playlists_by_name ON playlists (org_id, name, uid, name_folded, rotation);
CREATE INDEX service_accounts_by_name ON service_accounts (org_id, name, id, name_folded, login, is_disabled);

CREATE INDEX tokens_keys ON tokens (org_id, id) WHERE account_id IS NULL;
CREATE INDEX data_sources_by_type ON data_sources (org_id, type, is_default DESC, id);

-- One row. It tells a database that took the place of another one, and a health check
-- writes to it to find out whether the disk has room again.
CREATE TABLE database_identity (
	id         $TEXT NOT NULL, -- random
	probed_at  BIGINT NOT NULL DEFAULT 0
);
