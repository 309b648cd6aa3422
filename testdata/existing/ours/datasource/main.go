// Command datasource is a data source with every handler, built with our SDK.
package main

import (
	"existing/ours/echo"
	"github.com/slipway-dev/slipway/sdk"
)

func main() {
	shared := echo.NewShared()
	p := sdk.DataSources(shared.DataSourceInstance).Plugin()
	p.CollectMetrics = shared.CollectMetrics
	sdk.Serve(p)
}
