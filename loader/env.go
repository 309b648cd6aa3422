package loader

import (
	"maps"
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
		names = append(names, "SYSTEMROOT", "SYSTEMDRIVE", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "COMSPEC",
			"PATHEXT")
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

// hostVariables returns what the host tells every plugin, by the name of the variable
// without the prefix of a profile.
func hostVariables(o Options) map[string]string {
	variables := map[string]string{}
	for name, value := range map[string]string{
		"APP_URL": o.AppURL, "VERSION": o.HostVersion, "INSTANCE_FEATURE_TOGGLES_ENABLE": strings.Join(o.Toggles, ","),
	} {
		if value != "" {
			variables[name] = value
		}
	}
	return variables
}

// environment returns the environment of a backend: the allowed variables of the host,
// what the host tells plugins, and the settings of this one, under the names of every
// profile. The settings win over what is passed on to all plugins, but not over the rest.
func environment(o Options, m *bundle.Metadata, s Settings, token string) []string {
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
	own := map[string]string{}
	for _, name := range telemetry() {
		own[name] = inherited[hostPrefix+name]
	}
	for key, value := range s.Values {
		own[pluginVariable(key)] = value
	}
	maps.Copy(own, hostVariables(o))
	own["PLUGIN_VERSION"], own["PLUGIN_APP_CLIENT_SECRET"] = m.Info.Version, token
	for _, profile := range bundle.Profiles() {
		for _, name := range slices.Sorted(maps.Keys(own)) {
			if own[name] != "" {
				env = append(env, profile.EnvPrefix+name+"="+own[name])
			}
		}
	}
	return env
}
