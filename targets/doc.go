// Package targets contains the Mage targets of a plugin repository. A magefile
// imports them:
//
//	//mage:import
//	_ "github.com/slipway-dev/slipway/targets"
//
// Each target runs the verb of the same name of the program slipway, with the same options, written
// as -name=value and in camel case: --service-version is -serviceVersion. The functions are generated
// from the table of verbs in cmd/internal/verbs.
//
// The package is in a module of its own, which requires only Mage: a plugin repository that requires
// it has no other module raised. The program is found or built in the user's cache, outside of the
// module of the plugin; see internal/program.
package targets
