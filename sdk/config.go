package sdk

import (
	"cmp"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Config is what the host reports about itself with every call. Its methods read the
// published keys. Those that return text, and IsEnabled, fall back to the environment
// variables that older hosts set instead.
type Config map[string]string

// Keys of Config, without the prefix that they share with the variables of existing hosts.
const (
	configPrefix = "GF_"

	keyAppURL  = "APP_URL"
	keyVersion = "VERSION"
	keyToggles = "INSTANCE_FEATURE_TOGGLES_ENABLE"

	keyConcurrentQueries = "CONCURRENT_QUERY_COUNT"

	keyRowLimit     = "SQL_ROW_LIMIT"
	keyMaxOpenConns = "SQL_MAX_OPEN_CONNS_DEFAULT"
	keyMaxIdleConns = "SQL_MAX_IDLE_CONNS_DEFAULT"
	keyConnLifetime = "SQL_MAX_CONN_LIFETIME_SECONDS_DEFAULT"
)

func (c Config) value(key string) string { return cmp.Or(c[configPrefix+key], Env("SVC_"+key)) }

// count returns a number that fits the given bits, or 0 if the host does not set one.
func (c Config) count(key string, bits int) int64 {
	n, err := strconv.ParseInt(c[configPrefix+key], 10, bits)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// AppURL returns the URL of the host, or "".
func (c Config) AppURL() string { return c.value(keyAppURL) }

// Version returns the version of the host, or "".
func (c Config) Version() string { return c.value(keyVersion) }

// IsEnabled reports whether a feature toggle of the host is on.
func (c Config) IsEnabled(toggle string) bool {
	return slices.Contains(strings.Split(c.value(keyToggles), ","), toggle)
}

// Setting returns a setting of the plugin that the operator of the host has configured, or
// "". The settings of data sources and apps are in [Settings].
func (c Config) Setting(key string) string { return c.value("PLUGIN_" + strings.ToUpper(key)) }

// ConcurrentQueries returns the maximum number of queries that a plugin should run at the same
// time, or 0 if the host does not say.
func (c Config) ConcurrentQueries() int { return int(c.count(keyConcurrentQueries, 32)) }

// SQLLimits are the limits that the host sets for plugins that query SQL databases. A value
// that it does not set is 0.
type SQLLimits struct {
	Rows         int64 // of a response
	MaxOpenConns int   // this and the next two are for data sources that do not set their own
	MaxIdleConns int
	ConnLifetime time.Duration
}

// SQL returns the limits for plugins that query SQL databases.
func (c Config) SQL() SQLLimits {
	return SQLLimits{
		Rows: c.count(keyRowLimit, 64), MaxOpenConns: int(c.count(keyMaxOpenConns, 32)), MaxIdleConns: int(c.count(keyMaxIdleConns, 32)),
		ConnLifetime: time.Duration(c.count(keyConnLifetime, 32)) * time.Second,
	}
}

// Env returns the value of an environment variable that the host sets, whose name starts
// with SVC_. If it is empty, Env returns the value of the variable that existing hosts set
// instead, which has the prefix GF_.
func Env(name string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	if rest, ok := strings.CutPrefix(name, "SVC_"); ok {
		return os.Getenv("GF_" + rest)
	}
	return ""
}

// EnvName returns the name that the host of the plugin uses for a variable that [Env] reads,
// for messages about it.
func EnvName(name string) string {
	rest, ok := strings.CutPrefix(name, "SVC_")
	if !ok || os.Getenv(name) != "" {
		return name
	}
	published := "GF_" + rest
	isExisting := os.Getenv("SVC_VERSION") == "" && os.Getenv("GF_VERSION") != "" // every host sets its version
	if isExisting || os.Getenv(published) != "" {
		return published
	}
	return name
}
