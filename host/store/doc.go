// Package store keeps the data of the reference host in SQL: in a SQLite file or on a
// PostgreSQL server, with the same statements.
//
// It owns the schema and its migrations, all transactions, and the rules that span rows:
// unique names, reconciled plugin accounts, credentials that stop working at once. It
// refuses with the categories of package host and does not know HTTP. It is the only
// package that imports database/sql.
package store
