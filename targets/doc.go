// Package targets contains the Mage targets of a plugin repository. A magefile
// imports them:
//
//	//mage:import
//	_ "github.com/slipway-dev/slipway/targets"
//
// Each target takes the options of the slipway command of the same name, written as
// -name=value and in camel case: --service-version is -serviceVersion.
package targets
