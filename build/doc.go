// Package build turns a plugin repository into its dist: executables for every
// platform, assets, and a plugin.json that says what was built.
//
// Plan decides what will run and be written and touches nothing; Run does it in a
// folder beside dist and puts that in the place of dist only when all of it is
// there. The same commit gives the same bytes: no time, path or credential of the
// machine reaches an output. The one exception is asked for in go.mod: the folder
// that a replace line names stands in the Go build info of the executables.
package build
