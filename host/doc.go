// Package host defines the nouns and rules of the reference host: playlists, folders,
// dashboards, data sources, service accounts, tokens, roles and what each of them may do.
//
// It refuses whatever breaks a rule, with a category that says why. It does not know how
// things are stored or how requests arrive. Callers pass in time and randomness.
package host
