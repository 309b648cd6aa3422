// Command app is an app on our SDK with every handler.
package main

import (
	"github.com/slipway-dev/slipway/internal/e2e/testdata/ours/echo"
	"github.com/slipway-dev/slipway/sdk"
)

func main() {
	shared := echo.NewShared()
	p := sdk.Apps(shared.AppInstance).Plugin()
	p.CollectMetrics = shared.CollectMetrics
	sdk.Serve(p)
}
