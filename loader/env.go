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

// telemetry lists the variables, without their prefix, by which an operator of the host
// asks backends for profiles and traces; see sdk/profiling and sdk/tracing.
func telemetry() []string {
	return []string{
		"PLUGIN_PROFILING_ENABLED", "PLUGIN_PROFILING_PORT",
		"INSTANCE_OTLP_ADDRESS", "INSTANCE_OTLP_SAMPLER_TYPE", "INSTANCE_OTLP_SAMPLER_PARAM",
	}
}

// environment builds what a backend sees, from nothing: the allowed variables of
// the host and what the host has to say, under the names of every profile.
func environment(o Options, m *bundle.Metadata, token string) []string {
	var env []string
	allowed := passedOn()
	asked := map[string]string{}
	for _, entry := range o.Environ {
		name, value, _ := strings.Cut(entry, "=")
		asked[name] = value
		if slices.ContainsFunc(allowed, func(a string) bool {
			return a == name || runtime.GOOS == "windows" && strings.EqualFold(a, name)
		}) {
			env = append(env, entry)
		}
	}
	for _, profile := range bundle.Profiles() {
		say := func(name, value string) {
			if value != "" {
				env = append(env, profile.EnvPrefix+name+"="+value)
			}
		}
		say("APP_URL", o.AppURL)
		say("VERSION", o.HostVersion)
		say("PLUGIN_VERSION", m.Info.Version)
		say("INSTANCE_FEATURE_TOGGLES_ENABLE", strings.Join(o.Toggles, ","))
		say("PLUGIN_APP_CLIENT_SECRET", token)
		for _, name := range telemetry() {
			say(name, asked[hostPrefix+name])
		}
	}
	return env
}
