// Code generated from the table of cmd/internal/verbs by "go tool mage docs"; DO NOT EDIT.

package targets

import (
	"context"

	"github.com/slipway-dev/slipway/targets/internal/program"
)

// Scaffold creates a plugin repository.
func Scaffold(ctx context.Context, pluginType, id string,
	dir *string, // directory to create (default: the id)
	into *string, // repository of the app to add a data source or a panel to
	name *string, // name shown to users (default: derived from the id)
	org *string, // author (default: the first part of the id)
	description *string, // one sentence about the plugin
	profile *string, // key names in plugin.json: service, grafana or both (default: both)
	backend *bool, // whether the plugin has a backend (default: true, but false for a panel)
	base *string, // create-plugin: let Grafana's generator create the repository, and run init in it
	force *bool, // write into a directory that is not empty, and list the files overwritten
) error {
	return program.Mage(ctx, "scaffold", []string{pluginType, id},
		program.Option("dir", dir),
		program.Option("into", into),
		program.Option("name", name),
		program.Option("org", org),
		program.Option("description", description),
		program.Option("profile", profile),
		program.Option("backend", backend),
		program.Option("base", base),
		program.Option("force", force),
	)
}

// Init adds Slipway to an existing plugin repository.
func Init(ctx context.Context,
	dir *string, // directory of the plugin (default: that of this directory)
	dryRun *bool, // print a diff and change nothing
	noWorkflow *bool, // add no GitHub workflow
	undo *bool, // restore the files that init changed
) error {
	return program.Mage(ctx, "init", nil,
		program.Option("dir", dir),
		program.Option("dry-run", dryRun),
		program.Option("no-workflow", noWorkflow),
		program.Option("undo", undo),
	)
}

// Validate checks plugin.json and the files it refers to.
func Validate(ctx context.Context,
	path *string, // what to validate (default: the plugin repository of this directory); "-" reads plugin.json or a zip from standard input
	format *string, // format of the report: text, concise, json, sarif, junit or github (default: text)
	output *string, // write the report to this file
	profile *string, // key names in plugin.json: service or grafana (default: derived from the file)
	strict *bool, // treat warnings as errors
	source *string, // repository that a zip must be built from, a directory or zip; nothing is built
	only *string, // run only these rules, even if they are turned off
	fix *bool, // apply the safe fixes, then report the remaining findings
	all *bool, // every plugin repository at the path or below, as in a monorepo, each with its own slipway.yaml
	verbose *bool, // list all info findings, and the rules that did not run
	diff *bool, // print what fix would change; exit with status 1 if there is anything to change
	config *string, // configuration file (default: the nearest slipway.yaml)
	baseline *string, // omit the findings recorded in this file; any other fails
	writeBaseline *string, // record all findings in this file, for the option baseline
) error {
	return program.Mage(ctx, "validate", program.Args(path),
		program.Option("format", format),
		program.Option("output", output),
		program.Option("profile", profile),
		program.Option("strict", strict),
		program.Option("source", source),
		program.Option("only", only),
		program.Option("fix", fix),
		program.Option("all", all),
		program.Option("verbose", verbose),
		program.Option("diff", diff),
		program.Option("config", config),
		program.Option("baseline", baseline),
		program.Option("write-baseline", writeBaseline),
	)
}

// Compat shows in which versions of existing hosts a plugin runs.
func Compat(ctx context.Context,
	path *string, // a plugin repository, a built plugin or a zip (default: the plugin repository of this directory)
	versions *string, // minor versions to show, such as 10.4,12.4 (default: the ends of the declared range, and the last of each major version)
	suggest *bool, // print only the widest range without errors
	format *string, // output format: text or json (default: text)
) error {
	return program.Mage(ctx, "compat", program.Args(path),
		program.Option("versions", versions),
		program.Option("suggest", suggest),
		program.Option("format", format),
	)
}

// Rules lists the rules of validate.
func Rules(ctx context.Context) error {
	return program.Mage(ctx, "rules", nil)
}

// Explain explains a rule: its purpose, how to fix its findings, and an example.
func Explain(ctx context.Context, rule string) error {
	return program.Mage(ctx, "explain", []string{rule})
}

// Schema writes JSON Schemas for plugin.json and slipway.yaml.
func Schema(ctx context.Context,
	what *string, // schema to write: plugin or config (default: both)
	dir *string, // directory to write to (default: the plugin repository of this directory)
	profile *string, // key names in plugin.json: service or grafana (default: derived from the file)
) error {
	return program.Mage(ctx, "schema", program.Args(what),
		program.Option("dir", dir),
		program.Option("profile", profile),
	)
}

// Deps downloads the packages that the frontend imports.
func Deps(ctx context.Context,
	dir *string, // plugin repository (default: that of this directory)
	types *bool, // also lay out node_modules for editors and for the check of types, which needs no Node.js then
) error {
	return program.Mage(ctx, "deps", nil,
		program.Option("dir", dir),
		program.Option("types", types),
	)
}

// Build builds the plugin into dist.
func Build(ctx context.Context,
	dir *string, // plugin repository (default: that of this directory)
	platforms *string, // all, host or a list such as linux/amd64,windows/amd64 (default: those in slipway.yaml, or all)
	add *bool, // also build for the platforms of the executables in dist
	only *string, // build only the backend or the frontend, and keep the rest of dist
	debug *bool, // build executables for a debugger
	profile *string, // key names in plugin.json: service or grafana (default: derived from the file)
	all *bool, // every plugin repository at the path or below, as in a monorepo
) error {
	return program.Mage(ctx, "build", nil,
		program.Option("dir", dir),
		program.Option("platforms", platforms),
		program.Option("add", add),
		program.Option("only", only),
		program.Option("debug", debug),
		program.Option("profile", profile),
		program.Option("all", all),
	)
}

// Package packs the built plugin for distribution.
func Package(ctx context.Context,
	path *string, // pack the plugins of these plugin repositories
	dir *string, // plugin repository (default: that of this directory)
	all *bool, // every plugin repository at the path or below, as in a monorepo
	out *string, // directory to write to (default: release in the repository)
) error {
	return program.Mage(ctx, "package", program.Args(path),
		program.Option("dir", dir),
		program.Option("all", all),
		program.Option("out", out),
	)
}

// Verify compares packaged plugins with their signatures and checksums.
func Verify(ctx context.Context,
	path *string, // verify only this dist, zip or directory of zips
	dir *string, // plugin repository (default: that of this directory)
	all *bool, // every plugin repository at the path or below, as in a monorepo
	rootUrl *string, // root_url of a Grafana for which the signature in MANIFEST.txt must hold, such as https://grafana.example.org/
) error {
	return program.Mage(ctx, "verify", program.Args(path),
		program.Option("dir", dir),
		program.Option("all", all),
		program.Option("root-url", rootUrl),
	)
}

// Conformance runs conformance checks on a built plugin.
func Conformance(ctx context.Context,
	dir *string, // plugin to check (default: that of this directory)
	format *string, // output format: text, json or junit (default: text)
	timeout *string, // time limit for each check (default: 30s)
	checks *string, // what to require: strict, existing, or auto, which depends on the plugin's SDK (default: auto)
	only *string, // checks to run, such as query-none,huge-request (default: all)
	skip *string, // checks to skip
	verbose *bool, // list the checks that passed or were skipped
	query *string, // JSON of a valid query, with its queryType
	settings *string, // JSON of the settings (jsonData) of a data source or app
	secrets *string, // file with the secrets (secureJsonData) as a JSON object of strings, or - for standard input; SLIPWAY_SECRETS can hold the object itself
	url *string, // URL of the data source
) error {
	return program.Mage(ctx, "conformance", nil,
		program.Option("dir", dir),
		program.Option("format", format),
		program.Option("timeout", timeout),
		program.Option("checks", checks),
		program.Option("only", only),
		program.Option("skip", skip),
		program.Option("verbose", verbose),
		program.Option("query", query),
		program.Option("settings", settings),
		program.Option("secrets", secrets),
		program.Option("url", url),
	)
}

// Host runs the reference host on directories of plugins.
func Host(ctx context.Context,
	pluginsDir *string, // directory of plugins (default under Mage: this directory); may be repeated; if two contain the same plugin id, the first wins
	watch *string, // how to watch the directories of plugins: poll or off (default: poll)
	debug *string, // ids of plugins whose backends run under Delve
	provisioning *string, // directory with datasources/*.yaml, dashboards/*.yaml, playlists/*.yaml and plugins/*.yaml; applied at startup and when they change; they can refer to any file that the host can read
	listen *string, // address to listen on; port 0 picks a free port (default: 127.0.0.1:3000)
	dataDir *string, // directory of the database and the keys of this host (default: .slipway/data)
	database *string, // SQLite file (default: slipway.db in the data directory) or postgres://user:password@server/name; also from SLIPWAY_DATABASE
	adminPasswordFile *string, // file with the password of the user admin, at least 12 characters; SLIPWAY_ADMIN_PASSWORD can hold the password itself (default: generated and printed once)
	tlsCert *string, // PEM file with the TLS certificate and its chain
	tlsKey *string, // PEM file with the key of the TLS certificate
	allowedHosts *string, // host names that clients may use besides loopback, the address to listen on, and the names in the certificate; * allows any
	serviceVersion *string, // service version reported to plugins (default: the lowest that all of them accept, and at least 10.3.0)
	featureToggles *string, // enabled feature toggles, such as externalServiceAccounts
	callTimeout *string, // time for the queries of a call, and for each part of the response of a resource (default: 2m0s)
	messageSize *string, // size in MiB of one message of a plugin, such as the results of a call (default: 32)
	debugWait *bool, // do not run the backend until a debugger connects and continues it
	attach *string, // ids of plugins whose backends are started elsewhere, such as in an IDE, with -standalone
) error {
	return program.Mage(ctx, "host", nil,
		program.Option("plugins-dir", pluginsDir),
		program.Option("watch", watch),
		program.Option("debug", debug),
		program.Option("provisioning", provisioning),
		program.Option("listen", listen),
		program.Option("data-dir", dataDir),
		program.Option("database", database),
		program.Option("admin-password-file", adminPasswordFile),
		program.Option("tls-cert", tlsCert),
		program.Option("tls-key", tlsKey),
		program.Option("allowed-hosts", allowedHosts),
		program.Option("service-version", serviceVersion),
		program.Option("feature-toggles", featureToggles),
		program.Option("call-timeout", callTimeout),
		program.Option("message-size", messageSize),
		program.Option("debug-wait", debugWait),
		program.Option("attach", attach),
	)
}

// Dev runs the plugin in a host that builds and reloads it when files change.
func Dev(ctx context.Context,
	dir *string, // plugin repository (default: that of this directory)
	open *bool, // open the console of the host in a browser, signed in
	debug *bool, // build the backend for a debugger and run it under Delve
	listen *string, // address to listen on; port 0 picks a free port (default: 127.0.0.1:3000)
	dataDir *string, // directory of the database and the keys of this host (default: .slipway/data)
	database *string, // SQLite file (default: slipway.db in the data directory) or postgres://user:password@server/name; also from SLIPWAY_DATABASE
	adminPasswordFile *string, // file with the password of the user admin, at least 12 characters; SLIPWAY_ADMIN_PASSWORD can hold the password itself (default: generated and printed once)
	tlsCert *string, // PEM file with the TLS certificate and its chain
	tlsKey *string, // PEM file with the key of the TLS certificate
	allowedHosts *string, // host names that clients may use besides loopback, the address to listen on, and the names in the certificate; * allows any
	serviceVersion *string, // service version reported to plugins (default: the lowest that all of them accept, and at least 10.3.0)
	featureToggles *string, // enabled feature toggles, such as externalServiceAccounts (default: externalServiceAccounts)
	callTimeout *string, // time for the queries of a call, and for each part of the response of a resource (default: 2m0s)
	messageSize *string, // size in MiB of one message of a plugin, such as the results of a call (default: 32)
	debugWait *bool, // do not run the backend until a debugger connects and continues it
	attach *string, // ids of plugins whose backends are started elsewhere, such as in an IDE, with -standalone
) error {
	return program.Mage(ctx, "dev", nil,
		program.Option("dir", dir),
		program.Option("open", open),
		program.Option("debug", debug),
		program.Option("listen", listen),
		program.Option("data-dir", dataDir),
		program.Option("database", database),
		program.Option("admin-password-file", adminPasswordFile),
		program.Option("tls-cert", tlsCert),
		program.Option("tls-key", tlsKey),
		program.Option("allowed-hosts", allowedHosts),
		program.Option("service-version", serviceVersion),
		program.Option("feature-toggles", featureToggles),
		program.Option("call-timeout", callTimeout),
		program.Option("message-size", messageSize),
		program.Option("debug-wait", debugWait),
		program.Option("attach", attach),
	)
}

// Preview shows the frontend of the plugin in a browser as it is edited.
func Preview(ctx context.Context,
	dir *string, // plugin repository (default: that of this directory)
	with *string, // version of the libraries that hosts share with plugins, such as 12.4, or several to see side by side, such as 12.4,13.2 (default: that in node_modules, or the one that package.json asks for)
	listen *string, // loopback address to listen on; port 0 picks a free port (default: 127.0.0.1:0)
	open *bool, // open the page in a browser
	check *bool, // open each story, editor and page once in Chromium or Chrome, without a window, and exit: exceptions, answers with an error, and differences to the pictures in previews fail
	update *bool, // check, and keep the pictures in previews
	strict *bool, // a view without a picture in previews fails the check, and so does an expected problem of slipway.yaml that does not occur
	only *string, // check only these views: a part of their names, or a pattern with *
	tabs *string, // how many views are open at once (default: one for each processor, at most 4)
	against *string, // check, and compare with another build of the plugin in this directory, such as a copy of the dist that webpack has built: shared modules, exports, missing files, and each view as a picture
	answers *string, // record or replay: what plugins and their data sources answer to the page, in previews/answers, so that a check needs no server of the data source
	report *string, // directory for the report of a check: index.html, junit.xml and report.json (default: .slipway/preview-report)
) error {
	return program.Mage(ctx, "preview", nil,
		program.Option("dir", dir),
		program.Option("with", with),
		program.Option("listen", listen),
		program.Option("open", open),
		program.Option("check", check),
		program.Option("update", update),
		program.Option("strict", strict),
		program.Option("only", only),
		program.Option("tabs", tabs),
		program.Option("against", against),
		program.Option("answers", answers),
		program.Option("report", report),
	)
}
