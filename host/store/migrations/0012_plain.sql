-- Lists are read with LIKE, LIMIT and OFFSET, and rows are counted when their number is needed.
$DROP_TRIGGERS;
DROP TABLE playlist_trigrams;
DROP TABLE playlist_ranges;
DROP TABLE database_identity;
ALTER TABLE service_accounts DROP COLUMN token_count;
