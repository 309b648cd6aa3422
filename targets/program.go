package targets

import (
	"context"

	"github.com/slipway-dev/slipway/targets/internal/target"
)

// Dev builds the plugin, runs it in a host, and rebuilds and reloads it when files change.
func Dev(ctx context.Context,
	dir *string, // plugin repository (default: this directory)
	listen *string, // address to listen on (default: 127.0.0.1:3000)
	adminPasswordFile *string, // file with the password of the user admin (default: generated)
	adminPassword *string, // password of the user admin (deprecated: other users can read it in the process list)
	tlsCert *string, // PEM file with the TLS certificate and its chain
	tlsKey *string, // PEM file with the key of the TLS certificate
	allowedHosts *string, // additional host names that clients may use, separated by commas
	serviceVersion *string, // service version reported to plugins
	featureToggles *string, // enabled feature toggles, separated by commas
	dataDir *string, // data directory of the host (default: .slipway/data)
	database *string, // SQLite file or postgres:// URL (default: slipway.db in the data directory)
	query *string, // JSON of the query in the curl command that is printed (default: a query for the scaffolded data source, or {} if the repository was not scaffolded)
	open *bool, // open the console of the host in a browser, signed in
	debug *bool, // build the backend for a debugger and run it under Delve
	debugWait *bool, // do not run the backend until a debugger connects and continues it
	attach *string, // ids of plugins whose backends are started elsewhere with -standalone, separated by commas
) error {
	options := map[string]*string{
		"dir": dir, "listen": listen, "admin-password": adminPassword, "service-version": serviceVersion,
		"feature-toggles": featureToggles, "data-dir": dataDir, "database": database, "query": query,
		"admin-password-file": adminPasswordFile, "tls-cert": tlsCert, "tls-key": tlsKey, "allowed-hosts": allowedHosts,
		"attach": attach, "open": flag(open), "debug": flag(debug), "debug-wait": flag(debugWait),
	}
	return target.Slipway(ctx, "dev", options)
}

// Host runs the reference host on the plugin in this directory, or on a directory of plugins.
func Host(ctx context.Context,
	pluginsDir *string, // directory of plugins (default: this directory)
	listen *string, // address to listen on (default: 127.0.0.1:3000)
	dataDir *string, // data directory of the host (default: .slipway/data)
	database *string, // SQLite file or postgres:// URL (default: slipway.db in the data directory)
	adminPasswordFile *string, // file with the password of the user admin (default: generated)
	adminPassword *string, // password of the user admin (deprecated: other users can read it in the process list)
	tlsCert *string, // PEM file with the TLS certificate and its chain
	tlsKey *string, // PEM file with the key of the TLS certificate
	allowedHosts *string, // additional host names that clients may use, separated by commas
	serviceVersion *string, // service version reported to plugins
	featureToggles *string, // enabled feature toggles, separated by commas
	provisioning *string, // directory with datasources/*.yaml, dashboards/*.yaml and plugins/*.yaml
	watch *string, // how to watch the directories of plugins: auto, poll or off (default: auto)
	trustedKeys *string, // file with ed25519 public keys, one of which must have signed each plugin
	debug *string, // ids of plugins whose backends run under Delve, separated by commas
	debugWait *bool, // do not run these backends until a debugger connects and continues them
	attach *string, // ids of plugins whose backends are started elsewhere with -standalone, separated by commas
) error {
	if pluginsDir == nil {
		pluginsDir = new(".")
	}
	return target.Slipway(ctx, "host", map[string]*string{
		"plugins-dir": pluginsDir, "listen": listen, "data-dir": dataDir, "database": database,
		"admin-password": adminPassword, "service-version": serviceVersion, "feature-toggles": featureToggles,
		"trusted-keys": trustedKeys, "admin-password-file": adminPasswordFile, "tls-cert": tlsCert, "tls-key": tlsKey,
		"allowed-hosts": allowedHosts, "debug": debug, "debug-wait": flag(debugWait), "attach": attach,
		"provisioning": provisioning, "watch": watch,
	})
}

// flag returns the value of a flag that is set, or nil.
func flag(b *bool) *string {
	if !isSet(b) {
		return nil
	}
	return new("true")
}

// Conformance runs the conformance checks on the built plugin.
func Conformance(ctx context.Context,
	dir *string, // plugin to check (default: this directory)
	format *string, // format of the report: text, json or junit
	timeout *string, // time limit of each check (default: 30s)
	checks *string, // what to require: strict, existing or auto (default: auto, which depends on the SDK)
	only *string, // checks to run, separated by commas (default: all)
	skip *string, // checks to skip, separated by commas
	query *string, // JSON of a valid query, with its queryType
	settings *string, // JSON of the settings (jsonData) of the data source or app
	secrets *string, // file with the secrets (secureJsonData) as a JSON object of strings
	url *string, // URL of the data source
) error {
	return target.Slipway(ctx, "conformance", map[string]*string{
		"dir": dir, "format": format, "timeout": timeout, "checks": checks, "only": only, "skip": skip, "query": query,
		"settings": settings, "secrets": secrets, "url": url,
	})
}

// Compat reports whether the plugin runs in Slipway's host and in existing hosts.
func Compat(ctx context.Context,
	dir *string, // plugin repository, dist directory or zip (default: this directory)
	format *string, // format of the report: text or json
	serviceVersion *string, // version of Slipway's host
	existingVersion *string, // version of the existing host (default: any)
	platform *string, // platform of the hosts (default: that of this machine)
	start *bool, // start the backend and complete the handshake
) error {
	return target.Slipway(ctx, "compat", map[string]*string{
		"dir": dir, "format": format, "service-version": serviceVersion, "existing-version": existingVersion, "platform": platform, "start": flag(start),
	})
}
