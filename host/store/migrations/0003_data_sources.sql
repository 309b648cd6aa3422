CREATE TABLE data_sources (
	id              $AUTOID,
	org_id          BIGINT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
	uid             $TEXT NOT NULL,
	name            $TEXT NOT NULL,
	type            $TEXT NOT NULL, -- the id of its plugin
	url             $TEXT NOT NULL,
	login           $TEXT NOT NULL,
	database_name   $TEXT NOT NULL,
	basic_auth      BOOLEAN NOT NULL,
	basic_auth_user $TEXT NOT NULL,
	is_default      BOOLEAN NOT NULL,
	settings        $TEXT NOT NULL, -- a JSON object
	version         BIGINT NOT NULL DEFAULT 1, -- counts the changes
	updated_at      BIGINT NOT NULL,
	UNIQUE (org_id, uid),
	UNIQUE (org_id, name)
);

CREATE UNIQUE INDEX data_sources_default ON data_sources (org_id) WHERE is_default;

-- What an administrator entered for an app plugin.
CREATE TABLE plugin_settings (
	org_id     BIGINT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
	plugin_id  $TEXT NOT NULL,
	is_enabled BOOLEAN NOT NULL,
	is_pinned  BOOLEAN NOT NULL,
	settings   $TEXT NOT NULL, -- a JSON object
	updated_at BIGINT NOT NULL,
	PRIMARY KEY (org_id, plugin_id)
);

-- Secret settings, encrypted with a key that is not in the database.
CREATE TABLE secrets (
	org_id BIGINT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
	owner  $TEXT NOT NULL, -- "datasource:" and an id, or "plugin:" and an id
	name   $TEXT NOT NULL,
	sealed $TEXT NOT NULL,
	PRIMARY KEY (org_id, owner, name)
);
