// Package workflow contains Mage targets under the names that workflows of plugins use,
// which are those of Grafana's SDK. A magefile imports them in addition to package
// targets, unless it imports the targets of that SDK:
//
//	//mage:import
//	_ "github.com/slipway-dev/slipway/targets"
//	//mage:import
//	_ "github.com/slipway-dev/slipway/targets/workflow"
//
// The packages are separate because Mage refuses two targets of the same name.
package workflow

import "github.com/magefile/mage/mg"

// Scaffold contains the targets for repositories that scaffold created.
type Scaffold mg.Namespace

// TEST contains the variants of the target test. Mage ignores case; the name Test is taken.
type TEST mg.Namespace
