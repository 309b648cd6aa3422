// Package bundle describes plugins on disk: plugin.json, the directories in which
// plugins are found, the platforms of backends and the names of their executables.
//
// It parses plugin.json, both into Metadata and into a Document with positions. It
// neither validates plugins (see validate) nor starts them (see loader), and imports no
// other package of this module.
//
// Profiles lists the names that the profiles service and grafana have for the same
// keys; the other differences in the schema are in validate/schema/grafana.patch.json.
package bundle
