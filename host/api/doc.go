// Package api is the HTTP face of the reference host: one table of routes, each
// with the permission it asks for, and what all of them share: authentication,
// bodies, errors, request ids and the access log.
//
// It decides no rule of its own: what is valid and who may do what is said by
// package host, what exists by package store. It answers every mistake of a client
// with a 4xx and a text that names the field. It listens on nothing: New returns a
// handler.
package api
