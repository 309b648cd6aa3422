package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/sdk"
)

// TestMain lets the test executable act as a backend: gpx_sick has bad health.
func TestMain(m *testing.M) {
	name, isPlugin := strings.CutPrefix(filepath.Base(os.Args[0]), "gpx_")
	if !isPlugin {
		os.Exit(m.Run())
	}
	sdk.Serve(sdk.Plugin{CheckHealth: func(_ context.Context, r *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) {
		if strings.HasPrefix(name, "sick") {
			return &sdk.CheckHealthResult{Status: sdk.HealthError, Message: "no license"}, nil
		}
		return &sdk.CheckHealthResult{Status: sdk.HealthOK, Message: "fine"}, nil
	}})
}
