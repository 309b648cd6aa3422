-- $AUTOID is the database's primary key that counts up and never gives an id twice,
-- $TEXT its text that is compared byte by byte.
-- Times are Unix milliseconds. *_folded is the text without its case.
-- The number of this first file is that of the last schema before the first release.

CREATE TABLE orgs (
	id            $AUTOID,
	name          $TEXT NOT NULL UNIQUE,
	keys_migrated BOOLEAN NOT NULL DEFAULT FALSE -- all API keys became tokens: it gets no new ones
);
INSERT INTO orgs (name) VALUES ('Main Org.');

CREATE TABLE users (
	id               $AUTOID,
	org_id           BIGINT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
	login            $TEXT NOT NULL UNIQUE,
	role             $TEXT NOT NULL,
	is_disabled      BOOLEAN NOT NULL DEFAULT FALSE,
	password_hash    $TEXT NOT NULL,
	is_service_admin BOOLEAN NOT NULL DEFAULT FALSE
);

-- Browsers in which a user is signed in. Only the SHA-256 of the cookie is stored.
CREATE TABLE sessions (
	id         $AUTOID,
	user_id    BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	digest     $TEXT NOT NULL UNIQUE,
	agent      $TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	seen_at    BIGINT NOT NULL,
	expires_at BIGINT NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id, id);

CREATE TABLE service_accounts (
	id          $AUTOID,
	org_id      BIGINT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
	name        $TEXT NOT NULL,
	name_folded $TEXT NOT NULL,
	login       $TEXT NOT NULL,
	role        $TEXT NOT NULL,
	is_disabled BOOLEAN NOT NULL DEFAULT FALSE,
	plugin_id   $TEXT, -- of a plugin's own account
	UNIQUE (org_id, name_folded),
	UNIQUE (org_id, login),
	UNIQUE (org_id, plugin_id)
);
CREATE INDEX service_accounts_by_name ON service_accounts (org_id, name, id, name_folded, login, is_disabled);
CREATE INDEX service_accounts_of_plugins ON service_accounts (org_id, id) WHERE plugin_id IS NOT NULL;

CREATE TABLE account_grants (
	account_id BIGINT NOT NULL REFERENCES service_accounts (id) ON DELETE CASCADE,
	action     $TEXT NOT NULL,
	scope      $TEXT NOT NULL,
	PRIMARY KEY (account_id, action, scope)
);

-- API keys and service account tokens are one table, so that a key becomes a token
-- of a new account by one UPDATE and its secret goes on working.
CREATE TABLE tokens (
	id           $AUTOID,
	org_id       BIGINT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
	account_id   BIGINT REFERENCES service_accounts (id) ON DELETE CASCADE, -- NULL: an API key
	role         $TEXT, -- of an API key
	name         $TEXT NOT NULL,
	digest       $TEXT NOT NULL UNIQUE,
	created_at   BIGINT NOT NULL,
	expires_at   BIGINT, -- NULL: never
	last_used_at BIGINT, -- NULL: never
	-- The service account of the plugin that created an API key. The key, and the token it is
	-- migrated to, cannot do more than that account, and are deleted with it.
	granted_by   BIGINT REFERENCES service_accounts (id) ON DELETE CASCADE, -- NULL: only the role counts
	CHECK ((account_id IS NULL) <> (role IS NULL))
);
CREATE UNIQUE INDEX tokens_key_name ON tokens (org_id, name) WHERE account_id IS NULL;
CREATE UNIQUE INDEX tokens_account_name ON tokens (account_id, name) WHERE account_id IS NOT NULL;
CREATE INDEX tokens_keys ON tokens (org_id, id) WHERE account_id IS NULL;
CREATE INDEX tokens_granted_by ON tokens (granted_by) WHERE granted_by IS NOT NULL;
CREATE INDEX tokens_by_account ON tokens (account_id, id);
CREATE INDEX tokens_by_expiry ON tokens (expires_at);

CREATE TABLE folders (
	id         $AUTOID,
	org_id     BIGINT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
	uid        $TEXT NOT NULL,
	title      $TEXT NOT NULL,
	version    BIGINT NOT NULL DEFAULT 1, -- counts the changes
	created_at BIGINT NOT NULL DEFAULT 0, -- 0: not known
	created_by $TEXT NOT NULL DEFAULT '', -- a login
	updated_at BIGINT NOT NULL DEFAULT 0,
	updated_by $TEXT NOT NULL DEFAULT '',
	UNIQUE (org_id, uid),
	UNIQUE (org_id, title)
);

CREATE TABLE dashboards (
	id           $AUTOID,
	org_id       BIGINT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
	uid          $TEXT NOT NULL,
	title        $TEXT NOT NULL,
	title_folded $TEXT NOT NULL DEFAULT '',
	folder_id    BIGINT REFERENCES folders (id) ON DELETE CASCADE, -- NULL: in none
	version      BIGINT NOT NULL DEFAULT 1, -- counts the changes
	created_at   BIGINT NOT NULL DEFAULT 0, -- 0: not known
	updated_at   BIGINT NOT NULL DEFAULT 0,
	plugin_id    $TEXT, -- whose plugin.json it came with
	UNIQUE (org_id, uid)
);
CREATE INDEX dashboards_by_title ON dashboards (org_id, title, id, title_folded);
CREATE INDEX dashboards_in_folder ON dashboards (folder_id, title, id, title_folded);
CREATE INDEX dashboards_of_plugins ON dashboards (org_id, plugin_id, id) WHERE plugin_id IS NOT NULL;

-- Models are large and only read one at a time: a search must not walk them.
CREATE TABLE dashboard_models (
	dashboard_id BIGINT PRIMARY KEY REFERENCES dashboards (id) ON DELETE CASCADE,
	model        $TEXT NOT NULL -- a JSON object
);

CREATE TABLE dashboard_tags (
	tag          $TEXT NOT NULL,
	dashboard_id BIGINT NOT NULL REFERENCES dashboards (id) ON DELETE CASCADE,
	PRIMARY KEY (tag, dashboard_id)
);
CREATE INDEX dashboard_tags_dashboard ON dashboard_tags (dashboard_id);

CREATE TABLE playlists (
	id          $AUTOID,
	org_id      BIGINT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
	uid         $TEXT NOT NULL,
	name        $TEXT NOT NULL,
	name_folded $TEXT NOT NULL,
	rotation    $TEXT NOT NULL, -- the interval, as its owner wrote it
	UNIQUE (org_id, uid)
);
-- A search by a part of the name reads an index that contains all it needs.
CREATE INDEX playlists_by_name ON playlists (org_id, name, uid, name_folded, rotation);

CREATE TABLE playlist_items (
	id          $AUTOID,
	playlist_id BIGINT NOT NULL REFERENCES playlists (id) ON DELETE CASCADE,
	position    BIGINT NOT NULL,
	type        $TEXT NOT NULL,
	value       $TEXT NOT NULL,
	title       $TEXT NOT NULL
);
CREATE INDEX playlist_items_in_order ON playlist_items (playlist_id, position);

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
CREATE INDEX data_sources_by_type ON data_sources (org_id, type, is_default DESC, id);

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
	owner  $TEXT NOT NULL, -- "datasource:" and an id, "plugin:" and an id, or "host"
	name   $TEXT NOT NULL,
	sealed $TEXT NOT NULL,
	PRIMARY KEY (org_id, owner, name)
);
