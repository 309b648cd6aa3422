-- The service account of the plugin that created an API key. The key, and the token it is
-- migrated to, cannot do more than that account, and are deleted with it.
ALTER TABLE tokens ADD COLUMN granted_by BIGINT REFERENCES service_accounts (id) ON DELETE CASCADE; -- NULL: only the role counts
CREATE INDEX tokens_granted_by ON tokens (granted_by) WHERE granted_by IS NOT NULL;

CREATE INDEX tokens_by_account ON tokens (account_id, id);
CREATE INDEX tokens_by_expiry ON tokens (expires_at);
