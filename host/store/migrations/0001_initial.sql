-- $AUTOID is the database's primary key that counts up and never gives an id twice,
-- $TEXT its text that is compared byte by byte.
-- Times are Unix milliseconds. *_folded is the text without its case.

CREATE TABLE orgs (
	id   $AUTOID,
	name $TEXT NOT NULL UNIQUE
);
INSERT INTO orgs (name) VALUES ('Main Org.');

CREATE TABLE users (
	id            $AUTOID,
	org_id        BIGINT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
	login         $TEXT NOT NULL UNIQUE,
	role          $TEXT NOT NULL,
	is_disabled   BOOLEAN NOT NULL DEFAULT FALSE,
	password_hash $TEXT NOT NULL
);

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

CREATE TABLE account_grants (
	account_id BIGINT NOT NULL REFERENCES service_accounts (id) ON DELETE CASCADE,
	action     $TEXT NOT NULL,
	scope      $TEXT NOT NULL,
	PRIMARY KEY (account_id, action, scope)
);

-- API keys and service account tokens are one table, so that a key becomes a token
-- of a new account by one UPDATE and its secret goes on working.
CREATE TABLE tokens (
	id         $AUTOID,
	org_id     BIGINT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
	account_id BIGINT REFERENCES service_accounts (id) ON DELETE CASCADE, -- NULL: an API key
	role       $TEXT, -- of an API key
	name       $TEXT NOT NULL,
	digest     $TEXT NOT NULL UNIQUE,
	created_at BIGINT NOT NULL,
	expires_at BIGINT, -- NULL: never
	CHECK ((account_id IS NULL) <> (role IS NULL))
);
CREATE UNIQUE INDEX tokens_key_name ON tokens (org_id, name) WHERE account_id IS NULL;
CREATE UNIQUE INDEX tokens_account_name ON tokens (account_id, name) WHERE account_id IS NOT NULL;

CREATE TABLE folders (
	id     $AUTOID,
	org_id BIGINT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
	uid    $TEXT NOT NULL,
	title  $TEXT NOT NULL,
	UNIQUE (org_id, uid),
	UNIQUE (org_id, title)
);

CREATE TABLE dashboards (
	id     $AUTOID,
	org_id BIGINT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
	uid    $TEXT NOT NULL,
	title  $TEXT NOT NULL,
	UNIQUE (org_id, uid)
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
CREATE INDEX playlists_by_name ON playlists (org_id, name, uid);

CREATE TABLE playlist_items (
	id          $AUTOID,
	playlist_id BIGINT NOT NULL REFERENCES playlists (id) ON DELETE CASCADE,
	position    BIGINT NOT NULL,
	type        $TEXT NOT NULL,
	value       $TEXT NOT NULL,
	title       $TEXT NOT NULL
);
CREATE INDEX playlist_items_in_order ON playlist_items (playlist_id, position);
