// Command datasource is a data source on the existing SDK with every handler.
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
