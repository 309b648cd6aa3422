package verbs

import (
	"context"
	"fmt"
	"time"

	"github.com/slipway-dev/slipway/bundle/access"
)

// Environment variables that hold secrets, which nobody else can read in the list of processes.
const (
	EnvAdminPassword = "SLIPWAY_ADMIN_PASSWORD"
	EnvDatabase      = "SLIPWAY_DATABASE"
	EnvSecretKey     = "SLIPWAY_SECRET_KEY" // shared by hosts that share a database
	EnvSecrets       = "SLIPWAY_SECRETS"    // of a plugin, for conformance
	EnvToken         = "SLIPWAY_TOKEN"      // for a running host
)

// What options of the host refer to. The program slipway-host tests that package host has the same values.
const (
	LeastHostVersion = "10.3.0" // of the service that the host claims to be
	MinPassword      = 12       // characters of a password
)

// ServeOptions are the options that host and dev share.
type ServeOptions struct {
	Listen            string
	DataDir           string // "" is .slipway/data
	Database          string
	AdminPasswordFile string
	TLSCert, TLSKey   string
	AllowedHosts      []string
	ServiceVersion    string
	Toggles           []string
	CallTimeout       time.Duration
	MessageSize       string // in MiB
	DebugWait         bool
	Attach            []string
}

// options returns the rows of the table.
func (o *ServeOptions) options() []Option {
	o.Listen, o.CallTimeout, o.MessageSize = "127.0.0.1:3000", 2*time.Minute, "32"
	return []Option{
		{Name: "listen", Value: &o.Listen, Help: "address to listen on; port 0 picks a free port"},
		{Name: "data-dir", Value: &o.DataDir, Help: "directory of the database and the keys of this host (default: .slipway/data)"},
		{Name: "database", Value: &o.Database, Help: "SQLite file (default: slipway.db in the data directory) or " +
			"postgres://user:password@server/name; also from " + EnvDatabase},
		{Name: "admin-password-file", Value: &o.AdminPasswordFile, Help: fmt.Sprintf(
			"file with the password of the user admin, at least %d characters; %s can hold the password itself (default: generated and "+
				"printed once)", MinPassword, EnvAdminPassword)},
		{Name: "tls-cert", Value: &o.TLSCert, Help: "PEM file with the TLS certificate and its chain"},
		{Name: "tls-key", Value: &o.TLSKey, Help: "PEM file with the key of the TLS certificate"},
		{Name: "allowed-hosts", Value: &o.AllowedHosts, Help: "host names that clients may use besides loopback, the address to listen " +
			"on, and the names in the certificate; * allows any"},
		{Name: "service-version", Value: &o.ServiceVersion, Help: "service version reported to plugins (default: the lowest that all of " +
			"them accept, and at least " + LeastHostVersion + ")"},
		{Name: "feature-toggles", Value: &o.Toggles, Help: "enabled feature toggles, such as " + access.ToggleServiceAccounts},
		{Name: "call-timeout", Value: &o.CallTimeout, Help: "time for the queries of a call, and for each part of the response of a resource"},
		{Name: "message-size", Value: &o.MessageSize, Help: "size in MiB of one message of a plugin, such as the results of a call"},
		{Name: "debug-wait", Value: &o.DebugWait, Help: "do not run the backend until a debugger connects and continues it"},
		{Name: "attach", Value: &o.Attach, Help: "ids of plugins whose backends are started elsewhere, such as in an IDE, with -standalone"},
	}
}

// HostOptions are the options of the verb host.
type HostOptions struct {
	ServeOptions
	PluginDirs   Paths
	Watch        string
	Debug        []string
	Provisioning string
}

// HostVerb returns the row of host.
func HostVerb(o *HostOptions, run func(context.Context, Call) error) Verb {
	o.Watch = "poll"
	return Verb{
		Name: "host", Mage: targets, IsHosted: true, Run: run,
		Short: "Run the reference host on directories of plugins",
		Options: append([]Option{
			{Name: "plugins-dir", Value: &o.PluginDirs, Help: "directory of plugins (default under Mage: this directory); may be repeated; " +
				"if two contain the same plugin id, the first wins"},
			{Name: "watch", Value: &o.Watch, Help: "how to watch the directories of plugins: poll or off"},
			{Name: "debug", Value: &o.Debug, Help: "ids of plugins whose backends run under Delve"},
			{Name: "provisioning", Value: &o.Provisioning, Help: "directory with datasources/*.yaml, dashboards/*.yaml, playlists/*.yaml and plugins/*.yaml; " +
				"applied at startup and when they change; they can refer to any file that the host can read"},
		}, o.options()...),
	}
}

// DevOptions are the options of the verb dev.
type DevOptions struct {
	ServeOptions
	Dir   string
	Open  bool
	Debug bool
}

// DevVerb returns the row of dev.
func DevVerb(o *DevOptions, run func(context.Context, Call) error) Verb {
	o.Toggles = []string{access.ToggleServiceAccounts}
	return Verb{
		Name: "dev", Mage: targets, IsHosted: true, Run: run,
		Short:   "Run the plugin in a host that builds and reloads it when files change",
		Aliases: []Alias{{Name: "Watch", Short: "runs the plugin in a host and rebuilds it when files change, as dev does"}},
		Options: append([]Option{
			dirOption(&o.Dir),
			{Name: "open", Value: &o.Open, Help: "open the console of the host in a browser, signed in"},
			{Name: "debug", Value: &o.Debug, Help: "build the backend for a debugger and run it under Delve"},
		}, o.options()...),
	}
}

// PreviewOptions are the options of the verb preview.
type PreviewOptions struct {
	Dir, With, Listen     string
	Open                  bool
	Check, Update, Strict bool
	Only, Against, Report string
	Answers               string // "", record or replay
	Tabs                  int
}

// PreviewVerb returns the row of preview.
func PreviewVerb(o *PreviewOptions, run func(context.Context, Call) error) Verb {
	o.Listen = "127.0.0.1:0"
	return Verb{
		Name: "preview", Mage: targets, IsHosted: true, Run: run,
		Short: "Show the frontend of the plugin in a browser as it is edited",
		Options: []Option{
			dirOption(&o.Dir),
			{Name: "with", Value: &o.With, Help: "version of the libraries that hosts share with plugins, such as 12.4, or several " +
				"to see side by side, such as 12.4,13.2 (default: that in node_modules, or the one that package.json asks for)"},
			{Name: "listen", Value: &o.Listen, Help: "loopback address to listen on; port 0 picks a free port"},
			{Name: "open", Value: &o.Open, Help: "open the page in a browser"},
			{Name: "check", Value: &o.Check, Help: "open each story, editor and page once in Chromium or Chrome, without a window, and exit: " +
				"exceptions, answers with an error, and differences to the pictures in previews fail"},
			{Name: "update", Value: &o.Update, Help: "check, and keep the pictures in previews"},
			{Name: "strict", Value: &o.Strict, Help: "a view without a picture in previews fails the check, and so does an expected problem of " +
				"slipway.yaml that does not occur"},
			{Name: "only", Value: &o.Only, Help: "check only these views: a part of their names, or a pattern with *"},
			{Name: "tabs", Value: &o.Tabs, Help: "how many views are open at once (default: one for each processor, at most 4)"},
			{Name: "against", Value: &o.Against, Help: "check, and compare with another build of the plugin in this directory, such as a copy of " +
				"the dist that webpack has built: shared modules, exports, missing files, and each view as a picture"},
			{Name: "answers", Value: &o.Answers, Help: "record or replay: what plugins and their data sources answer to the page, in " +
				"previews/answers, so that a check needs no server of the data source"},
			{Name: "report", Value: &o.Report, Help: "directory for the report of a check: index.html, junit.xml and report.json " +
				"(default: .slipway/preview-report)"},
		},
	}
}

// ConformanceOptions are the options of the verb conformance.
type ConformanceOptions struct {
	Dir        string
	Format     string
	Timeout    time.Duration
	Checks     string
	Only, Skip []string
	Verbose    bool

	Query, Settings, URL string
	SecretsFile          string
}

// ConformanceVerb returns the row of conformance.
func ConformanceVerb(o *ConformanceOptions, run func(context.Context, Call) error) Verb {
	o.Format, o.Timeout, o.Checks = "text", 30*time.Second, "auto"
	return Verb{
		Name: "conformance", Mage: targets, IsHosted: true, Run: run, Args: []Arg{{Name: "dir", Value: &o.Dir}},
		Short: "Run conformance checks on a built plugin",
		Options: []Option{
			{Name: "dir", Value: &o.Dir, Help: "plugin to check (default: that of this directory)"},
			{Name: "format", Value: &o.Format, Help: "output format: text, json or junit"},
			{Name: "timeout", Value: &o.Timeout, Help: "time limit for each check"},
			{Name: "checks", Value: &o.Checks, Help: "what to require: strict, existing, or auto, which depends on the plugin's SDK"},
			{Name: "only", Value: &o.Only, Help: "checks to run, such as query-none,huge-request (default: all)"},
			{Name: "skip", Value: &o.Skip, Help: "checks to skip"},
			{Name: "verbose", Short: "v", Value: &o.Verbose, Help: "list the checks that passed or were skipped"},
			{Name: "query", Value: &o.Query, Help: "JSON of a valid query, with its queryType"},
			{Name: "settings", Value: &o.Settings, Help: "JSON of the settings (jsonData) of a data source or app"},
			{Name: "secrets", Value: &o.SecretsFile, Help: "file with the secrets (secureJsonData) as a JSON object of strings, or - for " +
				"standard input; " + EnvSecrets + " can hold the object itself"},
			{Name: "url", Value: &o.URL, Help: "URL of the data source"},
		},
	}
}

// PluginsOptions are the options of the verb plugins.
type PluginsOptions struct {
	Target string // a directory or the URL of a host
	JSON   bool
}

// PluginsVerb returns the row of plugins, which reads a directory as the host does.
func PluginsVerb(o *PluginsOptions, run func(context.Context, Call) error) Verb {
	o.Target = "."
	return Verb{
		Name: "plugins", IsHosted: true, Run: run, Args: []Arg{{Name: "dir|url", Value: &o.Target}},
		Short: "List plugins and explain each failure",
		Options: []Option{
			{Name: "json", Value: &o.JSON, Help: "print JSON instead of a table"},
		},
	}
}
