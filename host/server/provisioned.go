package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/provisioning"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/atomicfile"
	"github.com/slipway-dev/slipway/internal/limit"
)

// provisionCheck is how often a host looks for changes of provisioning files.
const provisionCheck = 2 * time.Second

// files applies a provisioning directory to a store, and again when it changes.
type files struct {
	dir   string
	state string // file
	into  target
	env   func(string) (string, bool)
	log   *slog.Logger

	mu         sync.Mutex
	last       *provisioning.Config // nil before the first reading
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

// apply reads the directory and stores what has changed. If a file is invalid, it changes
// nothing.
func (f *files) apply(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	c, err := provisioning.Read(f.dir, f.env)
	f.last = c
	if err != nil {
		return fmt.Errorf("provisioning: %w", err)
	}
	for _, warning := range c.Warnings {
		f.log.Warn("provisioning", "warning", warning)
	}
	before, err := f.readState()
	if err != nil {
		return err
	}
	after, err := provisioning.Apply(ctx, f.into, c, before)
	if err != nil {
		err = fmt.Errorf("provisioning: %w", err)
	}
	err = errors.Join(err, f.writeState(after), f.protect(ctx, c))
	c.DropModels()
	return err
}

// protect makes the data sources and dashboards in the files read-only.
func (f *files) protect(ctx context.Context, c *provisioning.Config) error {
	byName := map[string]string{}
	for _, d := range c.DataSources {
		if d.IsReadOnly {
			byName[d.Name] = d.File
		}
	}
	stored, err := f.into.DataSources(ctx)
	if err != nil {
		return err
	}
	all := map[string]string{}
	for _, d := range stored {
		if file, ok := byName[d.Name]; ok {
			all[d.UID] = file
		}
	}
	f.sources.files.Store(&all)
	boards := map[string]string{}
	for _, d := range c.Dashboards {
		if d.IsReadOnly {
			boards[d.UID] = d.File
		}
	}
	f.dashboards.files.Store(&boards)
	return nil
}

// maxState is the maximum size of the file with the state, in bytes.
const maxState = 16 << 20

func (f *files) readState() (state provisioning.State, err error) {
	file, err := os.Open(f.state)
	if errors.Is(err, fs.ErrNotExist) {
		return state, nil
	}
	if err != nil {
		return state, err
	}
	defer file.Close()
	text, err := limit.ReadAll(file, maxState)
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

// watch applies the directory whenever it has changed, until ctx ends.
func (f *files) watch(ctx context.Context) {
	tick := time.NewTicker(provisionCheck)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			f.applyChanges(ctx)
		}
	}
}

// applyChanges applies the directory if it has changed since it was read.
func (f *files) applyChanges(ctx context.Context) {
	f.mu.Lock()
	isStale := f.last.IsStale()
	f.mu.Unlock()
	if !isStale {
		return
	}
	if err := f.apply(ctx); err != nil {
		if ctx.Err() == nil {
			f.log.Error("provisioning files changed, but were not applied completely", "error", err)
		}
		return
	}
	f.log.Info("provisioning files applied", "directory", f.dir)
}

// provisionFiles applies Options.Provisioning and watches it until the server is closed.
func (s *Server) provisionFiles(ctx context.Context, o Options) error {
	if o.Provisioning == "" {
		return nil
	}
	dir, err := filepath.Abs(o.Provisioning)
	if err != nil {
		return err
	}
	s.files.dir, s.files.state = dir, filepath.Join(o.DataDir, "provisioned.json")
	s.files.into, s.files.log = target{s.store, administrator("provisioning")}, s.log
	environ := variables(o.Environ)
	s.files.env = func(name string) (value string, ok bool) { value, ok = environ[name]; return value, ok }
	if err := s.files.apply(ctx); err != nil {
		if !o.LaxProvisioning {
			return err
		}
		s.log.Error("provisioning files were not applied completely", "error", err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var watching sync.WaitGroup
	watching.Go(func() { s.files.watch(ctx) })
	s.onClose(func() error {
		cancel()
		watching.Wait()
		return nil
	})
	return nil
}

func administrator(login string) host.Identity {
	return host.Identity{Kind: host.KindUser, OrgID: store.MainOrg, Login: login, Role: host.RoleAdmin, IsServiceAdmin: true}
}

// target is a provisioning.Target for the store.
type target struct {
	store *store.Store
	by    host.Identity
}

func (t target) DataSources(ctx context.Context) ([]host.DataSource, error) {
	return t.store.DataSources(ctx, t.by.OrgID, nil, store.Page{Limit: host.MaxDataSources})
}

func (t target) Unlock(ctx context.Context, uid string) (host.DataSource, error) {
	return t.store.Unlock(ctx, t.by.OrgID, uid)
}

func (t target) CreateDataSource(ctx context.Context, d host.DataSource) error {
	_, err := t.store.CreateDataSource(ctx, t.by, d)
	return err
}

func (t target) UpdateDataSource(ctx context.Context, d host.DataSource) error {
	_, err := t.store.UpdateDataSource(ctx, t.by, d)
	return err
}

func (t target) DeleteDataSource(ctx context.Context, uid string) error {
	_, err := t.store.DeleteDataSource(ctx, t.by, uid)
	return err
}

func (t target) App(ctx context.Context, pluginID string) (host.AppSettings, error) {
	return t.store.UnlockApp(ctx, t.by.OrgID, pluginID)
}

func (t target) SetApp(ctx context.Context, a host.AppSettings) error {
	return t.store.SetAppSettings(ctx, t.by, a)
}

func (t target) Folder(ctx context.Context, title string) (uid string, err error) {
	f, err := t.store.FolderByTitle(ctx, t.by.OrgID, title)
	if errors.Is(err, host.ErrNotFound) {
		f, err = t.store.CreateFolder(ctx, t.by.OrgID, host.Folder{Title: title, CreatedBy: t.by.Login})
	}
	return f.UID, err
}

func (t target) SaveDashboard(ctx context.Context, d host.Dashboard) error {
	_, err := t.store.SaveDashboard(ctx, t.by.OrgID, d, store.Save{Overwrite: true})
	return err
}

func (t target) HasDashboard(ctx context.Context, uid string) (bool, error) {
	_, err := t.store.DashboardFolder(ctx, t.by.OrgID, uid)
	if errors.Is(err, host.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

func (t target) DeleteDashboard(ctx context.Context, uid string) error {
	_, err := t.store.DeleteDashboard(ctx, t.by.OrgID, uid)
	return err
}
