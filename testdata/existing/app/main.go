// Command app is an app with every handler, built with Grafana's SDK.
package main

import (
	"context"
	"os"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/app"
	"github.com/grafana/grafana-plugin-sdk-go/backend/instancemgmt"

	"existing/internal/echo"
)

func main() {
	shared := echo.NewShared()
	create := func(_ context.Context, made backend.AppInstanceSettings) (instancemgmt.Instance, error) {
		return shared.AppInstance(made), nil
	}
	if err := app.Manage("interop-echo-app", create, app.ManageOpts{}); err != nil {
		backend.Logger.Error("the plugin ended", "error", err)
		os.Exit(1)
	}
}
