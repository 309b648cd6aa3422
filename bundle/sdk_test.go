package bundle

import (
	"bytes"
	"os"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestExecutableSDK(t *testing.T) {
	t.Parallel()
	if sdk, ok := ExecutableSDK(bytes.NewReader([]byte("#!/bin/sh\n"))); ok {
		t.Errorf("a script is built with %s", sdk)
	}
	path := testkit.Must(os.Executable())(t)
	f := testkit.Must(os.Open(path))(t)
	t.Cleanup(func() { _ = f.Close() })
	if sdk, ok := ExecutableSDK(f); !ok || sdk.Module != SlipwayModule {
		t.Errorf("this test is built with %v, %t", sdk, ok)
	}
	if got := (SDK{GrafanaModule, "v0.164.0"}).String(); got != "Grafana's SDK v0.164.0" {
		t.Errorf("name %q", got)
	}
}
