package server

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/limit"
	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/loader"
)

const (
	maxConfig = 1 << 20 // bytes of the file with settings

	maxListed = 20 // ignored sections in the log

	pluginSection = "plugin." // begins the section of a plugin; its id follows
	// workingDirectory is the key that selects where a process runs. It is not passed on.
	workingDirectory = "WORKING_DIRECTORY"
)

// pluginSettings are the settings of plugins in a file and in the environment. It never
// logs a value, and no error contains one.
type pluginSettings struct {
	file    string // or ""
	environ []string
	log     *slog.Logger

	mu   sync.RWMutex
	last settingsRead
}

// settingsRead is what was read at one time.
type settingsRead struct {
	plugins     map[string]map[string]string // values by key in upper case, by id
	config      map[string]string            // for all plugins
	sendsUser   bool
	overrides   []override
	isUnchecked bool // sections may name unknown plugins
}

// SettingsError reports invalid settings of plugins.
type SettingsError struct{ Err error }

// Error returns the cause. It contains no value.
func (e *SettingsError) Error() string { return fmt.Sprintf("read settings of plugins: %v", e.Err) }

// Unwrap returns the cause.
func (e *SettingsError) Unwrap() error { return e.Err }

// override is a variable of the host's environment that sets a value of a plugin.
type override struct {
	variable string
	rest     string // the id of the plugin, _, and the key
	value    string
}

// read reads the file and the environment. After an error, the previous settings stay in
// effect.
func (s *pluginSettings) read() error {
	next, err := s.readAll()
	if err != nil {
		return &SettingsError{err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = next
	return nil
}

func (s *pluginSettings) readAll() (settingsRead, error) {
	next := settingsRead{plugins: map[string]map[string]string{}, config: map[string]string{}, isUnchecked: true}
	found, err := s.parse()
	e := expander{dir: filepath.Dir(s.file), environ: variables(s.environ), log: s.log}
	keys := hostKeys()
	for i, key := range found.keys {
		at := fmt.Sprintf("%s:%d", s.file, key.line)
		var failed error
		if key.hasVariables {
			key.value, failed = e.expand(at, key.value)
		} else {
			failed = e.check(len(key.value), key.value)
		}
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("%s: key %s: %w", at, key.name, failed))
			continue
		}
		found.keys[i] = key
		if id, ok := strings.CutPrefix(key.section, pluginSection); ok {
			err = errors.Join(err, next.set(at, id, key))
		} else if !slices.ContainsFunc(keys, func(k hostKey) bool { return k.section == key.section && k.name == key.name }) {
			s.log.Warn("setting is ignored: the host has no such key", "at", at, "section", key.section, "key", key.name)
		}
	}
	err = errors.Join(err, next.setHost(keys, found.keys, e.environ, s.file))
	if n := len(found.ignored); n > 0 {
		s.log.Warn("sections are ignored: the host has no such settings", "file", s.file, "sections", strings.Join(found.ignored[:min(n, maxListed)], ", "), "count", n)
	}
	return next, errors.Join(err, next.addOverrides(&e))
}

func (s *pluginSettings) parse() (*iniFile, error) {
	if s.file == "" {
		return &iniFile{}, nil
	}
	text, err := limit.ReadFile(s.file, maxConfig)
	if err != nil {
		return &iniFile{}, err
	}
	sections := hostKeys()
	return parseINI(s.file, string(text), func(section string) bool {
		return strings.HasPrefix(section, pluginSection) ||
			slices.ContainsFunc(sections, func(k hostKey) bool { return k.section == section })
	})
}

// set sets a value of a plugin.
func (r *settingsRead) set(at, id string, key iniKey) error {
	name := strings.ToUpper(key.name)
	if err := checkSetting(name, key.value); err != nil {
		return fmt.Errorf("%s: key %s %w", at, key.name, err)
	}
	if r.plugins[id] == nil {
		r.plugins[id] = map[string]string{}
	}
	r.plugins[id][name] = key.value
	return nil
}

func checkSetting(name, value string) error {
	switch {
	case loader.IsReservedSetting(name):
		return errors.New("is reserved: the host sets it")
	case name == "PATH" || name == "ID":
		return errors.New("is not supported: the host finds plugins in the directories that it searches")
	case name == workingDirectory && value != "plugin" && value != "private":
		return errors.New(`must be "plugin" or "private"`)
	}
	return nil
}

// addOverrides adds the variables of the host's environment that name a plugin and a key.
// Which plugin is known only when all are mounted.
func (r *settingsRead) addOverrides(e *expander) (err error) {
	for _, profile := range slices.Backward(bundle.Profiles()) { // the first one wins
		prefix := profile.EnvPrefix + "PLUGIN_"
		for _, name := range slices.Sorted(maps.Keys(e.environ)) {
			rest, ok := strings.CutPrefix(name, prefix)
			if !ok || !isName(rest) {
				continue
			}
			value, failed := e.expand(name, e.environ[name])
			if failed != nil {
				err = errors.Join(err, fmt.Errorf("variable %s: %w", name, failed))
				continue
			}
			r.overrides = append(r.overrides, override{name, strings.ToUpper(rest), value})
		}
	}
	return err
}

// of returns the settings of a plugin. ids are those of all mounted plugins: if the name of
// a variable fits several plugins, it belongs to the one with the longest id.
func (s *pluginSettings) of(id string, ids []string) loader.Settings {
	s.mu.RLock()
	read := s.last
	s.mu.RUnlock()
	values := maps.Clone(read.plugins[id])
	if values == nil {
		values = map[string]string{}
	}
	ids = slices.Concat(ids, slices.Collect(maps.Keys(read.plugins)), []string{id})
	for _, o := range read.overrides {
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
	return loader.Settings{Values: values, Config: read.config, SendsUser: read.sendsUser, InPluginDir: inPluginDir}
}

// variablePart returns the id of a plugin as it is written in the name of a variable.
func variablePart(id string) string {
	return strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(id))
}

// warnOfUnknown logs, once per reading, the sections whose plugin is not mounted.
func (s *pluginSettings) warnOfUnknown(mounted []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.last.isUnchecked {
		return
	}
	s.last.isUnchecked = false
	for _, id := range slices.Sorted(maps.Keys(s.last.plugins)) {
		if slices.Contains(mounted, id) {
			continue
		}
		attrs := []any{"file", s.file, "plugin", id}
		if near := nearest.Name(id, mounted); near != "" {
			attrs = append(attrs, "did you mean", near)
		}
		s.log.Warn("settings of a plugin that is not mounted", attrs...)
	}
}
