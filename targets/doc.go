// Package targets holds the Mage targets of a plugin repository. Its magefile
// imports them:
//
//	//mage:import
//	_ "github.com/slipway-dev/slipway/targets"
//
// Each target is a thin face of a function that the command slipway has as well;
// options are given as -name=value.
package targets
