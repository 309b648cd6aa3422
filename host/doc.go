// Package host defines the types and rules of the reference host: playlists, folders,
// dashboards, data sources, service accounts, tokens, roles and what each of them may do.
//
// It rejects anything that breaks a rule, with an error in one of the categories. It
// does not know how data is stored or how requests arrive. Callers pass in time and
// randomness.
package host
