// Package host holds the nouns and rules of the reference host: playlists,
// folders, service accounts, tokens, roles and what each of them may do.
//
// It refuses what breaks a rule, with a category that says why, and it knows
// neither where things are stored nor how a request reaches it. Time and
// randomness are given to it.
package host
