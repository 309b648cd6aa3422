// Package targets contains the Mage targets of a plugin repository. A magefile
// imports them:
//
//	//mage:import
//	_ "github.com/slipway-dev/slipway/targets"
//
// Each target takes the options of the slipway command of the same name, written as
// -name=value and in camel case: --service-version is -serviceVersion.
//
// Dev, Host and Conformance build the command slipway outside the plugin's module (see
// internal/verbs), and no target imports loader or host. So go.mod lists only what sdk and
// the targets need, and "mage validate" compiles no SQL engine; internal/arch tests that.
package targets
