// Package conformance tries a plugin: it starts the executable of any plugin of the
// protocol, on whatever SDK or in whatever language, sends it what hosts send on good
// days and on bad ones, and says what every plugin must do and this one does not.
//
// Checks lists what is tried, in order; Run does it. A plugin needs no settings for it:
// that it answers with errors is fine, that it panics, dies, hangs or leaves a query
// without an answer is not. It refuses to say anything of the content of an answer.
package conformance
