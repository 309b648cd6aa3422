// Package proxy implements the routes of plugin.json for data sources and apps: it
// finds the route of a request, checks that the caller may use it, fills in settings
// and secrets, and forwards the request. Without routes, it forwards requests to the URL
// of a data source, with its sign-in and its TLS settings.
//
// It rejects anything that it cannot verify: a path that some server could interpret as
// another one, a path that no route matches, a template with a missing setting. It forwards
// exactly the path that it matched, never the caller's credentials, and only listed
// headers in either direction. It stores nothing but short-lived tokens and the TLS
// settings of the last data sources, in memory.
package proxy
