// Package api implements the HTTP API of the reference host: the table of routes with
// their permissions, authentication, request bodies, errors, request ids and the access
// log.
//
// It defines no rules of its own: package host determines what is valid and who may do
// what, and package store what exists. It responds to every client error with a 4xx
// status and a message that names the field. It does not listen: New returns a handler.
package api
