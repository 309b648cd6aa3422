// Package proxy does what "routes" of plugin.json say, for data sources and apps:
// it finds the route of a request, asks whether the caller may use it, fills in
// settings and secrets, and forwards.
//
// It refuses what it cannot be sure of: a path that some server could read as
// another path, a path without a route, a template that lacks a setting. What is
// matched is what is forwarded, the caller's credentials never are, and only
// listed headers pass in either direction. It listens on nothing and stores
// nothing but short-lived tokens, in memory.
package proxy
