package server

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/loader"
)

const (
	maxSetting = 64 << 10 // bytes of a value
	// workingDirectory is the key that selects where a process runs. It is not passed on.
	workingDirectory = "WORKING_DIRECTORY"
)

// pluginSettings are the settings of the processes of plugins, in provisioning files and in the
// environment. It never logs a value, and no error contains one.
type pluginSettings struct {
	log       *slog.Logger
	overrides []override
	config    map[string]string // of calls, for all plugins
	sendsUser bool

	mu          sync.RWMutex
	plugins     map[string]map[string]string // values of the files by key in upper case, by id
	isUnchecked bool                         // the files may name unknown plugins
}

// override is a variable of the host's environment that sets a value of a plugin.
type override struct {
	variable string
	rest     string // the id of the plugin, _, and the key
	value    string
}

// newPluginSettings reads the environment.
func newPluginSettings(environ map[string]string, log *slog.Logger) (*pluginSettings, error) {
	s := &pluginSettings{log: log, config: map[string]string{}}
	for _, profile := range slices.Backward(bundle.Profiles()) { // the first one wins
		prefix := profile.EnvPrefix + "PLUGIN_"
		for _, name := range slices.Sorted(maps.Keys(environ)) {
			if rest, ok := strings.CutPrefix(name, prefix); ok {
				s.overrides = append(s.overrides, override{name, strings.ToUpper(rest), environ[name]})
			}
		}
	}
	return s, s.setHost(environ)
}

func (s *pluginSettings) set(plugins map[string]map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plugins, s.isUnchecked = plugins, true
}

// checkSetting returns an error for a setting that a process cannot have.
func checkSetting(name, value string) error {
	switch {
	case loader.IsReservedSetting(name):
		return errors.New("is reserved: the host sets it")
	case name == "PATH" || name == "ID":
		return errors.New("is not supported: the host finds plugins in the directories that it searches")
	case name == workingDirectory && value != "plugin" && value != "private":
		return errors.New(`must be "plugin" or "private"`)
	case name == "" || !host.HasOnly(name, "_-."):
		return errors.New("must consist of letters, digits, _, - and .")
	case len(value) > maxSetting:
		return fmt.Errorf("must not be larger than %d KiB", maxSetting>>10)
	case !utf8.ValidString(value) || strings.Contains(value, "\x00"):
		return errors.New("must be valid UTF-8 without NUL")
	}
	return nil
}

// of returns the settings of a plugin. ids are those of all mounted plugins: if the name of
// a variable fits several plugins, it belongs to the one with the longest id.
func (s *pluginSettings) of(id string, ids []string) loader.Settings {
	s.mu.RLock()
	plugins := s.plugins
	s.mu.RUnlock()
	values := maps.Clone(plugins[id])
	if values == nil {
		values = map[string]string{}
	}
	ids = slices.Concat(ids, slices.Collect(maps.Keys(plugins)), []string{id})
	for _, o := range s.overrides {
		key, ok := strings.CutPrefix(o.rest, variablePart(id)+"_")
		isOther := func(other string) bool {
			return len(other) > len(id) && strings.HasPrefix(o.rest, variablePart(other)+"_")
		}
		if !ok || key == "" || slices.ContainsFunc(ids, isOther) {
			continue
		}
		if err := checkSetting(key, o.value); err != nil {
			s.log.Warn("variable is ignored: the setting "+err.Error(), "variable", o.variable, "plugin", id)
			continue
		}
		values[key] = o.value
	}
	inPluginDir := values[workingDirectory] == "plugin"
	delete(values, workingDirectory)
	return loader.Settings{Values: values, Config: s.config, SendsUser: s.sendsUser, InPluginDir: inPluginDir}
}

// variablePart returns the id of a plugin as it is written in the name of a variable.
func variablePart(id string) string {
	return strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(id))
}

// warnOfUnknown logs, once per reading, the settings of plugins that are not mounted.
func (s *pluginSettings) warnOfUnknown(mounted []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isUnchecked {
		return
	}
	s.isUnchecked = false
	for _, id := range slices.Sorted(maps.Keys(s.plugins)) {
		if slices.Contains(mounted, id) {
			continue
		}
		warnOfName(s.log, "settings of a plugin that is not mounted", id, mounted, "plugin", id)
	}
}

// hostKey is a variable of the host's environment that applies to all plugins.
type hostKey struct {
	variable string
	config   string // in the configuration of calls; "" if it has another effect
	standard string // the value if it is not set; "" leaves it out
	check    func(value string) error
}

// hostKeys returns the variables for all plugins, with the names and values of existing hosts.
func hostKeys() []hostKey {
	return []hostKey{
		{"GF_DATAPROXY_ROW_LIMIT", "GF_SQL_ROW_LIMIT", "1000000", checkPositive},
		{"GF_DATAPROXY_RESPONSE_LIMIT", "GF_RESPONSE_LIMIT", "", checkCount},
		{"GF_DATAPROXY_SEND_USER_HEADER", "", "", checkBool},
		{"GF_SQL_DATASOURCES_MAX_OPEN_CONNS_DEFAULT", "GF_SQL_MAX_OPEN_CONNS_DEFAULT", "100", checkCount},
		{"GF_SQL_DATASOURCES_MAX_IDLE_CONNS_DEFAULT", "GF_SQL_MAX_IDLE_CONNS_DEFAULT", "100", checkCount},
		{"GF_SQL_DATASOURCES_MAX_CONN_LIFETIME_DEFAULT", "GF_SQL_MAX_CONN_LIFETIME_SECONDS_DEFAULT", "14400", checkCount},
		{"GF_DATASOURCES_CONCURRENT_QUERY_COUNT", "GF_CONCURRENT_QUERY_COUNT", "10", checkPositive},
		{"GF_LOG_USER_FACING_DEFAULT_ERROR", "GF_USER_FACING_DEFAULT_ERROR", "the request failed; the log of the host has details", nil},
	}
}

func checkCount(value string) error {
	if _, err := strconv.ParseUint(value, 10, 31); err != nil {
		return errors.New("must be a number from 0 to 2147483647")
	}
	return nil
}

func checkPositive(value string) error {
	if checkCount(value) != nil || strings.Trim(value, "0") == "" {
		return errors.New("must be a number from 1 to 2147483647")
	}
	return nil
}

func checkBool(value string) error {
	if value != "true" && value != "false" {
		return errors.New("must be true or false")
	}
	return nil
}

func (s *pluginSettings) setHost(environ map[string]string) (err error) {
	for _, key := range hostKeys() {
		value := key.standard
		if set := environ[key.variable]; set != "" {
			value = set
			if key.check != nil {
				if wrong := key.check(value); wrong != nil {
					err = errors.Join(err, fmt.Errorf("%s %w", key.variable, wrong))
					continue
				}
			}
		}
		switch {
		case key.config == "":
			s.sendsUser = value == "true"
		case value != "":
			s.config[key.config] = value
		}
	}
	return err
}

// warnOfToggles logs each unknown feature toggle, which plugins may know: the host passes it on.
func (s *Server) warnOfToggles(toggles []string) {
	known := access.Toggles()
	for _, toggle := range toggles {
		if slices.Contains(known, toggle) {
			continue
		}
		warnOfName(s.log, "unknown feature toggle", toggle, known, "toggle", toggle, "known", strings.Join(known, ", "))
	}
}

// warnOfName warns of a name that is not known, with the one that may be meant.
func warnOfName(log *slog.Logger, warning, name string, known []string, attrs ...any) {
	if near := nearest.Name(name, known); near != "" {
		attrs = append(attrs, "did you mean", near)
	}
	log.Warn(warning, attrs...)
}
