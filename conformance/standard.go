package conformance

import (
	"os"
	"slices"

	"github.com/Masterminds/semver/v3"

	"github.com/slipway-dev/slipway/bundle"
)

// Standard determines what a plugin is held to.
type Standard string

// The standards. The zero Standard is Strict for plugins that are built with Slipway's SDK
// and Existing for all others.
const (
	Strict Standard = "strict" // every check
	// Existing is what existing hosts rely on: other requirements are warnings.
	Existing Standard = "existing"
)

// readSDK returns the SDK that an executable is built with, or the zero SDK.
func readSDK(executable string) (sdk bundle.SDK) {
	f, err := os.Open(executable)
	if err != nil {
		return sdk // the start reports it
	}
	defer func() { _ = f.Close() }()
	sdk, _ = bundle.ExecutableSDK(f)
	return sdk
}

func forSDK(sdk bundle.SDK) Standard {
	if sdk.Module == bundle.SlipwayModule {
		return Strict
	}
	return Existing
}

// The versions of Grafana's SDK from which responses to queries have the fields.
var (
	statusSince = semver.New(0, 142, 0, "", "")
	sourceSince = semver.New(0, 180, 0, "", "") // 0.179 declares the field, but does not send it
)

// hasField reports whether responses to queries have a field that Grafana's SDK has sent since a version.
func hasField(sdk bundle.SDK, since *semver.Version) bool {
	version, err := semver.NewVersion(sdk.Version)
	return sdk.Module != bundle.GrafanaModule || err != nil || !version.LessThan(since)
}

// IsOfSDK reports whether a result is a warning that every plugin gets that uses Grafana's SDK. The
// author of the plugin cannot do anything about it.
func (r Report) IsOfSDK(one Result) bool {
	isOfSDK := func(c Check) bool { return c.ID == one.ID && c.isUnusual && c.ID != logsReadableID }
	return r.SDK != nil && r.SDK.Module == bundle.GrafanaModule && one.Outcome == Warned && slices.ContainsFunc(Checks(), isOfSDK)
}

const logsReadableID = "logs-readable" // it is about what the plugin itself prints
