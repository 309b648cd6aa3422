-- Once all API keys of an organization became tokens, it gets no new ones.
ALTER TABLE orgs ADD COLUMN keys_migrated BOOLEAN NOT NULL DEFAULT FALSE;

ALTER TABLE tokens ADD COLUMN last_used_at BIGINT; -- NULL: never

ALTER TABLE dashboards ADD COLUMN folder_id BIGINT REFERENCES folders (id) ON DELETE CASCADE; -- NULL: in none
ALTER TABLE dashboards ADD COLUMN version BIGINT NOT NULL DEFAULT 1; -- counts the changes
ALTER TABLE dashboards ADD COLUMN model $TEXT NOT NULL DEFAULT '{}'; -- what it shows, a JSON object
ALTER TABLE dashboards ADD COLUMN title_folded $TEXT NOT NULL DEFAULT '';
ALTER TABLE dashboards ADD COLUMN updated_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE dashboards ADD COLUMN plugin_id $TEXT; -- whose plugin.json it came with
ALTER TABLE dashboards ADD COLUMN plugin_digest $TEXT; -- of the file it was last taken from
UPDATE dashboards SET title_folded = title;
CREATE INDEX dashboards_by_title ON dashboards (org_id, title, id);
