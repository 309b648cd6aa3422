// Package console serves pages that show the state of the host: its plugins and their
// problems, data sources, dashboards, playlists and accounts.
//
// It is a client of the HTTP API: a page calls it with the credentials of the request for
// the page, and so shows only what the caller may see. It imports no other
// package of the host. HTML is rendered here; pages can be read without JavaScript, which
// sends forms and keeps pages up to date. Nothing is loaded from elsewhere.
package console
