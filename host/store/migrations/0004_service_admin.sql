ALTER TABLE users ADD COLUMN is_service_admin BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE users SET is_service_admin = TRUE WHERE login = 'admin';
