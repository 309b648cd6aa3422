// Package store keeps the reference host's data in SQL: SQLite in one file, in
// statements that PostgreSQL understands too.
//
// It owns every transaction, the schema and its migrations, and what has to hold
// between rows: unique names, reconciled plugin accounts, credentials that stop
// working at once. It refuses with the categories of package host and knows no
// HTTP. It is the only package that imports database/sql.
package store
