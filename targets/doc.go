// Package targets contains the Mage targets of a plugin repository. A magefile
// imports them:
//
//	//mage:import
//	_ "github.com/slipway-dev/slipway/targets"
//
// Each target has the options of the verb of the same name of the command slipway,
// written as -name=value and in camel case: --service-version is -serviceVersion.
package targets
