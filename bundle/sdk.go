package bundle

import (
	"debug/buildinfo"
	"io"
	"strings"
)

// The modules of the SDKs that backends are built with.
const (
	SlipwayModule = "github.com/slipway-dev/slipway"
	GrafanaModule = "github.com/grafana/grafana-plugin-sdk-go"
)

// SDK is the library that a backend is built with.
type SDK struct {
	Module  string `json:"module"`
	Version string `json:"version"` // such as v0.164.0, or (devel)
}

// String returns the name of the SDK and its version, as messages have them.
func (s SDK) String() string {
	name := "Grafana's SDK"
	if s.Module == SlipwayModule {
		name = "Slipway's SDK"
	}
	return name + " " + s.Version
}

// ExecutableSDK returns the SDK that the build information of an executable lists. ok is
// false if it lists none, or if the executable was not built by Go.
func ExecutableSDK(r io.ReaderAt) (sdk SDK, ok bool) {
	info, err := buildinfo.Read(r)
	if err != nil {
		return SDK{}, false
	}
	if info.Main.Path == SlipwayModule || strings.HasPrefix(info.Main.Path, SlipwayModule+"/") {
		return SDK{SlipwayModule, info.Main.Version}, true
	}
	for _, module := range []string{SlipwayModule, GrafanaModule} { // Slipway's SDK contains a part of Grafana's
		for _, d := range info.Deps {
			if d.Path != module {
				continue
			}
			if d.Replace != nil && d.Replace.Version != "" {
				d = d.Replace
			}
			return SDK{module, d.Version}, true
		}
	}
	return SDK{}, false
}
