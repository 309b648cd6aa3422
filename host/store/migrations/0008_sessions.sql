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
