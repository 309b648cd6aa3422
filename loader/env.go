package loader

import (
	"runtime"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
)

// passedOn lists the variables of the host that a backend may see: how to reach
// the network, where to put temporary files, which certificates to trust.
func passedOn() []string {
	names := []string{
		"PATH", "HOME", "TMPDIR", "TZ", "LANG",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
		"SSL_CERT_FILE", "SSL_CERT_DIR",
	}
	if runtime.GOOS == "windows" {
		names = append(names, "SYSTEMROOT", "SYSTEMDRIVE", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "COMSPEC", "PATHEXT")
	}
	return names
}

// hostPrefix begins the names of the host's own variables.
const hostPrefix = "SVC_"

// telemetry lists the variables, without their prefix, by which the operator of the
// host enables profiles and traces of backends; see sdk/profiling and sdk/tracing.
func telemetry() []string {
	return []string{
		"PLUGIN_PROFILING_ENABLED", "PLUGIN_PROFILING_PORT",
		"INSTANCE_OTLP_ADDRESS", "INSTANCE_OTLP_SAMPLER_TYPE", "INSTANCE_OTLP_SAMPLER_PARAM",
	}
}

// environment returns the environment of a backend: the allowed variables of the host,
// and the settings of the host for plugins, under the names of every profile.
func environment(o Options, m *bundle.Metadata, token string) []string {
	var env []string
	allowed := passedOn()
	inherited := map[string]string{}
	for _, entry := range o.Environ {
		name, value, _ := strings.Cut(entry, "=")
		inherited[name] = value
		if slices.ContainsFunc(allowed, func(a string) bool {
			return a == name || runtime.GOOS == "windows" && strings.EqualFold(a, name)
		}) {
			env = append(env, entry)
		}
	}
	for _, profile := range bundle.Profiles() {
		set := func(name, value string) {
			if value != "" {
				env = append(env, profile.EnvPrefix+name+"="+value)
			}
		}
		set("APP_URL", o.AppURL)
		set("VERSION", o.HostVersion)
		set("PLUGIN_VERSION", m.Info.Version)
		set("INSTANCE_FEATURE_TOGGLES_ENABLE", strings.Join(o.Toggles, ","))
		set("PLUGIN_APP_CLIENT_SECRET", token)
		for _, name := range telemetry() {
			set(name, inherited[hostPrefix+name])
		}
	}
	return env
}
