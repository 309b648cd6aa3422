// Package conformance checks the backend of a built plugin, written with any SDK and in
// any language. It starts the executable, makes valid and invalid calls as hosts do,
// and reports the requirements of the protocol that the plugin does not meet.
//
// Checks lists the checks in order; Run runs them. A plugin needs no settings: it may
// respond with errors, but it must not panic, exit, hang or leave a query without a
// response. The checks do not judge the content of a response.
package conformance
