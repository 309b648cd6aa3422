package loader

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/sdk"
)

// Settings are what the operator configures for a plugin. They may contain secrets.
type Settings struct {
	// Values are by key in upper case. A process finds them in the variables PLUGIN_<KEY>,
	// with the prefix of each profile, and in the configuration of a call.
	Values map[string]string
	// Config is what the configuration of calls has for all plugins, such as GF_SQL_ROW_LIMIT.
	Config map[string]string
	// SendsUser names the user of a call in the header X-Grafana-User.
	SendsUser bool
	// InPluginDir runs the process in the directory of the plugin instead of a private one.
	InPluginDir bool
}

func (s Settings) isSame(other Settings) bool {
	return s.SendsUser == other.SendsUser && s.InPluginDir == other.InPluginDir && maps.Equal(s.Values, other.Values) &&
		maps.Equal(s.Config, other.Config)
}

// IsReservedSetting reports whether a key, in upper case, names a variable of the host alone.
func IsReservedSetting(key string) bool {
	return slices.Contains([]string{"VERSION", "APP_CLIENT_ID", "APP_CLIENT_SECRET", "APP_PRIVATE_KEY"}, key)
}

// pluginVariable is the name of the variable of a setting, without the prefix of a profile.
func pluginVariable(key string) string { return "PLUGIN_" + key }

// Context returns what every call is told about the plugin and the host. The caller adds the user.
func (p *Plugin) Context() sdk.Context {
	m := p.Bundle().Metadata
	return sdk.Context{
		PluginID: m.ID, PluginVersion: m.Info.Version, UserAgent: userAgent(p.options.HostVersion),
		Config: configuration(p.options, p.Settings()),
	}
}

// Settings returns the settings that the running process was started with, or, if none
// runs, those of the last start. They may contain secrets.
func (p *Plugin) Settings() Settings {
	p.mu.Lock()
	started := p.settings
	if p.current != nil {
		started = &p.current.settings
	}
	p.mu.Unlock()
	if started == nil { // not under the lock: it is a function of the caller
		return p.options.Settings(p.id)
	}
	return *started
}

// userAgent returns the version of the host as plugins parse it. They accept only this name.
func userAgent(version string) string {
	if version == "" {
		return ""
	}
	return "Grafana/" + version + " (" + runtime.GOOS + "; " + runtime.GOARCH + ")"
}

// configuration returns the configuration of a call. Its keys are those of the grafana
// profile in all hosts: the published SDKs define them.
func configuration(o Options, s Settings) map[string]string {
	config := map[string]string{}
	maps.Copy(config, s.Config)
	prefix := bundle.Published().EnvPrefix
	for key, value := range s.Values {
		config[prefix+pluginVariable(key)] = value
	}
	for name, value := range hostVariables(o) {
		config[prefix+name] = value
	}
	return config
}

// ApplySettings restarts the backends whose settings differ from those that their
// processes were started with, without dropping a call. Reload does not: only the caller
// knows when Options.Settings changes. It returns when each has started or failed to start.
// The error is the first one, such as that of ctx.
func (l *Loader) ApplySettings(ctx context.Context) error {
	var group errgroup.Group
	for _, p := range l.Plugins() {
		if p.hasOtherSettings() {
			group.Go(func() error { return p.Restart(ctx) })
		}
	}
	return group.Wait()
}

// recordSettings returns the settings for a process that is about to start. From then on,
// ApplySettings sees them, so it does not miss a change in between.
func (p *Plugin) recordSettings() Settings {
	for {
		s := p.options.Settings(p.id)
		p.mu.Lock()
		p.settings = &s
		p.mu.Unlock()
		if s.isSame(p.options.Settings(p.id)) {
			return s
		}
	}
}

// hasOtherSettings reports whether the last process of the backend was started with other settings.
func (p *Plugin) hasOtherSettings() bool {
	p.mu.Lock()
	started, hasBackend := p.settings, p.want.bundle.Metadata.Backend
	p.mu.Unlock()
	return hasBackend && started != nil && !started.isSame(p.options.Settings(p.id))
}

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

// hostVariables returns what the host tells every plugin, by variable, without a prefix.
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
