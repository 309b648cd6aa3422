// Package bundle describes plugins on disk: plugin.json, the directories in which
// plugins are found, the platforms of backends and the names of their executables.
//
// It owns the parsed plugin.json, both as Metadata and as a Document with positions. It
// refuses to judge plugins (see validate) and to start them (see loader), and imports no
// other package of this module.
//
// Profiles lists the key names that the service and grafana profiles give to the same
// things; what else differs in the schema is in validate/schema/grafana.patch.json.
package bundle
