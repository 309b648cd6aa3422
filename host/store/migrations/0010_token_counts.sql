-- The number of tokens of each account, so that a list of accounts does not count them.
ALTER TABLE service_accounts ADD COLUMN token_count BIGINT NOT NULL DEFAULT 0;
