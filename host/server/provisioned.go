package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/provisioning"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/atomicfile"
	"github.com/slipway-dev/slipway/internal/limit"
)

const (
	provisionCheck = 2 * time.Second  // between looks for changes to provisioning files
	provisionRetry = 30 * time.Second // before what has failed is tried again
)

// files applies a provisioning directory to the store and to the settings of plugins.
type files struct {
	dir      string
	state    string // file
	store    *store.Store
	settings *pluginSettings
	env      map[string]string
	log      *slog.Logger

	mu       sync.Mutex // guards what follows, up to sources
	last     *provisioning.Config
	changes  string    // of the files, at the last look
	failed   time.Time // when last could not be applied; zero if it was
	reported string    // the failure that was logged last

	isNew       bool // last differs from what was applied before
	isUnchecked bool // the types of the data sources in last

	sources    readOnly
	dashboards readOnly
}

// readOnly holds the files, by uid, of what must not be changed otherwise.
type readOnly struct {
	files atomic.Pointer[map[string]string]
}

func (r *readOnly) file(uid string) (file string, ok bool) {
	if all := r.files.Load(); all != nil {
		file, ok = (*all)[uid]
	}
	return file, ok
}

// apply reads the directory and stores what has changed, or nothing if a file is invalid.
func (f *files) apply(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.applyLocked(ctx)
	if f.failed = (time.Time{}); err != nil {
		f.failed = time.Now()
		return fmt.Errorf("provisioning: %w", err)
	}
	return nil
}

func (f *files) applyLocked(ctx context.Context) (err error) {
	f.isNew = f.last == nil || !f.failed.IsZero() || f.last.Changes() != ""
	f.last, err = provisioning.Read(f.dir, provisioning.Options{
		Lookup:       func(name string) (value string, ok bool) { value, ok = f.env[name]; return value, ok },
		CheckSetting: checkSetting,
	})
	if err != nil {
		return err
	}
	if f.isNew {
		f.isUnchecked = true
		for _, warning := range f.last.Warnings {
			f.log.Warn("provisioning", "warning", warning)
		}
	}
	f.settings.set(f.last.Settings)
	before, err := f.readState()
	if err != nil {
		return err
	}
	by := administrator("provisioning")
	after, err := provisioning.Apply(ctx, f.store, by, f.last, before)
	err = errors.Join(err, f.writeState(after), f.protect(ctx, by.OrgID))
	f.last.DropModels()
	return err
}

// protect makes the data sources and dashboards in the files read-only.
func (f *files) protect(ctx context.Context, org int64) error {
	sources, boards := map[string]string{}, map[string]string{}
	for _, d := range f.last.DataSources {
		if !d.IsReadOnly {
			continue
		}
		stored, err := f.store.DataSourceByName(ctx, org, d.Name) // which may have another uid
		switch {
		case err == nil:
			sources[stored.UID] = d.File
		case !errors.Is(err, host.ErrNotFound):
			return err
		}
	}
	for _, d := range f.last.Dashboards {
		if d.IsReadOnly {
			boards[d.UID] = d.File
		}
	}
	f.sources.files.Store(&sources)
	f.dashboards.files.Store(&boards)
	return nil
}

const maxState = 16 << 20

func (f *files) readState() (state provisioning.State, err error) {
	text, err := limit.ReadFile(f.state, maxState)
	if errors.Is(err, fs.ErrNotExist) {
		return state, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &state)
	}
	if err != nil {
		err = fmt.Errorf("read %s: %w", f.state, err)
	}
	return state, err
}

func (f *files) writeState(state provisioning.State) error {
	return atomicfile.Write(f.state, 0o600, func(w io.Writer) error { return json.NewEncoder(w).Encode(state) })
}

// isDue reports whether the directory has changed since it was read, or whether it is time
// to try again. A change is due at the second look at it: a file that is being written may
// be empty at the first, and a data source that no file describes is deleted.
func (f *files) isDue() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	before := f.changes
	if f.changes = f.last.Changes(); f.changes == "" {
		return !f.failed.IsZero() && time.Since(f.failed) >= provisionRetry
	}
	return f.changes == before
}

// warnOfUnknown logs, once per reading, the data sources whose plugins are not mounted.
func (f *files) warnOfUnknown(mounted []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last == nil || !f.isUnchecked {
		return
	}
	f.isUnchecked = false
	for _, d := range f.last.DataSources {
		if d.Type == string(bundle.TypeDatasource) || slices.Contains(mounted, d.Type) { // the host has that one itself
			continue
		}
		warnOfName(f.log, "no mounted plugin has the type of a provisioned data source, which does not work", d.Type, mounted,
			"file", d.File, "name", d.Name, "type", d.Type)
	}
}

// applyAgain applies the directory and logs a success if the files have changed, and a failure once.
func (f *files) applyAgain(ctx context.Context) {
	err := f.apply(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case err == nil:
		f.reported = ""
		if f.isNew {
			f.log.Info("provisioning files applied", "directory", f.dir)
		}
	case ctx.Err() == nil && err.Error() != f.reported:
		f.reported = err.Error()
		f.log.Error("some provisioning files could not be applied; the host will try again", "error", err)
	}
}

// provisionFiles applies Options.Provisioning and watches it until the server is closed.
func (s *Server) provisionFiles(ctx context.Context) error {
	if s.options.Provisioning == "" {
		return nil
	}
	dir, err := filepath.Abs(s.options.Provisioning)
	if err != nil {
		return err
	}
	s.files.dir, s.files.state = dir, filepath.Join(s.options.DataDir, "provisioned.json")
	s.files.store, s.files.settings, s.files.env, s.files.log = s.store, s.settings, variables(s.options.Environ), s.log
	if s.options.LaxProvisioning {
		s.files.applyAgain(ctx)
	} else if err := s.files.apply(ctx); err != nil {
		return err
	}
	s.inBackground(ctx, new(sync.WaitGroup), func(ctx context.Context) {
		every(ctx, provisionCheck, func() {
			if s.files.isDue() {
				s.provisionAgain(ctx)
			}
		})
	})
	return nil
}

// provisionAgain applies the files, and restarts the plugins whose settings have changed.
func (s *Server) provisionAgain(ctx context.Context) {
	if s.files.dir == "" {
		return
	}
	s.files.applyAgain(ctx)
	if err := s.loader.ApplySettings(ctx); err != nil && ctx.Err() == nil {
		s.log.Error("settings of plugins not applied", "error", err)
	}
}

func administrator(login string) host.Identity {
	return host.Identity{Kind: host.KindUser, OrgID: store.MainOrg, Login: login, Role: host.RoleAdmin, IsServiceAdmin: true}
}

// variables returns the variables of an environment. The last one of a name wins.
func variables(environ []string) map[string]string {
	found := map[string]string{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		found[name] = value
	}
	return found
}

// Provision prepares the mounted plugins for use, as an administrator would: it adds a
// data source for each data source plugin that has none. It returns a token of the service
// account with the given name, which has the role of an editor. The token expires a day
// after this host ends, and the token that an earlier call returned on this host becomes
// invalid.
func (s *Server) Provision(ctx context.Context, name string) (host.Token, error) {
	by := administrator(host.AdminLogin)
	for _, p := range s.loader.Plugins() {
		if err := s.provisionPlugin(ctx, by, p.Bundle().Metadata); err != nil {
			return host.Token{}, fmt.Errorf("provision %s: %w", p.ID(), err)
		}
	}
	account, err := s.serviceAccount(ctx, by, name)
	if err != nil {
		return host.Token{}, fmt.Errorf("provision service account %q: %w", name, err)
	}
	token, err := s.accounts.lease(ctx, by, account)
	if err != nil {
		return host.Token{}, fmt.Errorf("issue token of service account %q: %w", name, err)
	}
	return token, nil
}

// provisionPlugin adds a data source for a plugin that has none. Apps are enabled by default.
func (s *Server) provisionPlugin(ctx context.Context, by host.Identity, m *bundle.Metadata) error {
	if m.Type != bundle.TypeDatasource {
		return nil
	}
	_, err := s.store.DataSourceOfType(ctx, by.OrgID, m.ID)
	if !errors.Is(err, host.ErrNotFound) {
		return err
	}
	d := host.DataSource{OrgID: by.OrgID, Name: m.ID, Type: m.ID, JSON: json.RawMessage("{}")}
	if host.IsUID(m.ID) {
		d.UID = m.ID
	}
	_, err = s.store.CreateDataSource(ctx, by, d)
	return err
}

// serviceAccount returns the service account with a name, which it creates if needed.
func (s *Server) serviceAccount(ctx context.Context, by host.Identity, name string) (host.ServiceAccount, error) {
	found, _, err := s.store.ServiceAccounts(ctx, by.OrgID, store.AccountFilter{Text: name})
	if err != nil {
		return host.ServiceAccount{}, err
	}
	for _, a := range found {
		if a.Name == name && a.PluginID == "" {
			return a, nil
		}
	}
	return s.store.CreateServiceAccount(ctx, by, host.ServiceAccount{Name: name, Role: host.RoleEditor})
}
