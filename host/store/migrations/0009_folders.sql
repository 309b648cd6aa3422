-- What published clients read of a folder and a dashboard.
ALTER TABLE folders ADD COLUMN version BIGINT NOT NULL DEFAULT 1; -- counts the changes
ALTER TABLE folders ADD COLUMN created_at BIGINT NOT NULL DEFAULT 0; -- 0: before this migration
ALTER TABLE folders ADD COLUMN created_by $TEXT NOT NULL DEFAULT ''; -- a login
ALTER TABLE folders ADD COLUMN updated_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE folders ADD COLUMN updated_by $TEXT NOT NULL DEFAULT '';
ALTER TABLE dashboards ADD COLUMN created_at BIGINT NOT NULL DEFAULT 0; -- 0: before this migration

CREATE INDEX dashboards_of_plugins ON dashboards (org_id, plugin_id, id) WHERE plugin_id IS NOT NULL;
ALTER TABLE dashboards DROP COLUMN plugin_digest; -- dashboards of plugins are imported when a user asks
