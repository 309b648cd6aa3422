// Package store keeps the data of the reference host in SQL: in a SQLite file or on a
// PostgreSQL server, with the same statements.
//
// It contains the schema and its migrations, all transactions, and the rules that span
// rows: unique names, reconciled plugin accounts, and credentials that are revoked
// immediately. Its errors have the categories of package host, and it does not know
// HTTP. It is the only package that imports database/sql.
package store
