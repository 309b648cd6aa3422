// Command datasource is a data source with every handler, built with Grafana's SDK.
package main

import (
	"context"
	"os"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/datasource"
	"github.com/grafana/grafana-plugin-sdk-go/backend/instancemgmt"

	"existing/internal/echo"
)

func main() {
	shared := echo.NewShared()
	create := func(_ context.Context, made backend.DataSourceInstanceSettings) (instancemgmt.Instance, error) {
		return shared.DataSourceInstance(made), nil
	}
	if err := datasource.Manage("interop-echo-datasource", create, datasource.ManageOpts{}); err != nil {
		backend.Logger.Error("the plugin ended", "error", err)
		os.Exit(1)
	}
}
