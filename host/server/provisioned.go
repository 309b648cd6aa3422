package server

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/host/provisioning"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/atomicfile"
	"github.com/slipway-dev/slipway/internal/limit"
)

const (
	provisionCheck  = 2 * time.Second  // between looks for changes to provisioning files
	provisionSettle = 10 * time.Second // the longest wait for files to stop changing
	provisionRetry  = 30 * time.Second // the longest wait before what has failed is tried again
	mostLogged      = 1000             // failures that are remembered, so that each is logged once
)

// files applies a provisioning directory to a store, again when it changes, and again when
// that has failed.
type files struct {
	dir   string
	state string // file
	into  provisioning.Target
	env   func(string) (string, bool)
	log   *slog.Logger

	mu        sync.Mutex           // guards what follows, up to sources
	last      *provisioning.Config // nil before the first reading
	isPending bool                 // last is valid, but was not applied completely
	stored    *provisioning.State  // nil before it is read
	wait      time.Duration        // before the next attempt; 0 if none is needed
	next      time.Time            // of that attempt
	logged    map[[32]byte]bool    // digests of failures since the files changed
	changes   string               // of the files, at the last look
	changed   time.Time            // the first look that found changes; zero if none did since last was read

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

// apply stores what has changed in the directory. If a file is invalid, it changes nothing.
// After an error, another call is due at f.next.
func (f *files) apply(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last != nil && f.last.IsStale() {
		f.isPending, f.wait, f.logged, f.changed = false, 0, nil, time.Time{}
	}
	err := f.applyLast(ctx)
	if err == nil {
		f.isPending, f.wait = false, 0
		f.last.DropModels()
		return nil
	}
	f.wait = min(max(2*f.wait, provisionCheck), provisionRetry)
	f.next = time.Now().Add(f.wait - rand.N(f.wait/4)) // hosts that share a database do not try together
	return fmt.Errorf("provisioning: %w", err)
}

// applyLast stores what f.last describes. It reads the directory first, unless f.last is pending.
func (f *files) applyLast(ctx context.Context) (err error) {
	if !f.isPending {
		for range 3 { // files may change while they are read
			if f.last, err = provisioning.Read(f.dir, f.env); !f.last.IsStale() {
				break
			}
		}
		if err != nil {
			return err
		}
		f.isPending = true
		for _, warning := range f.last.Warnings {
			f.log.Warn("provisioning", "warning", warning)
		}
	}
	if f.stored == nil {
		if f.stored, err = f.readState(); err != nil {
			return err
		}
	}
	*f.stored, err = provisioning.Apply(ctx, f.into, f.last, *f.stored)
	return errors.Join(err, f.writeState(), f.protect(ctx, f.last))
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

func (f *files) readState() (*provisioning.State, error) {
	file, err := os.Open(f.state)
	if errors.Is(err, fs.ErrNotExist) {
		return &provisioning.State{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var state provisioning.State
	text, err := limit.ReadAll(file, maxState)
	if err == nil {
		err = json.Unmarshal(text, &state)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", f.state, err)
	}
	return &state, nil
}

func (f *files) writeState() error {
	return atomicfile.Write(f.state, 0o600, func(w io.Writer) error { return json.NewEncoder(w).Encode(f.stored) })
}

// watch applies the directory whenever it has changed or an attempt is due, until ctx ends.
func (f *files) watch(ctx context.Context) {
	tick := time.NewTicker(provisionCheck)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if f.isDue() {
				f.applyAgain(ctx)
			}
		}
	}
}

// isDue reports whether the directory has changed since it was read, or whether it is time
// to try again. A change is due at the second look at it: a file that is being written may
// be empty at the first, and a data source that no file describes is deleted. Files that do
// not stop changing are due after provisionSettle.
func (f *files) isDue() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	before, now := f.changes, time.Now()
	if f.changes = f.last.Changes(); f.changes == "" {
		f.changed = time.Time{}
		return f.wait > 0 && !now.Before(f.next)
	}
	if f.changed.IsZero() {
		f.changed = now
	}
	return f.changes == before || now.Sub(f.changed) >= provisionSettle
}

// applyAgain applies the directory and logs the outcome.
func (f *files) applyAgain(ctx context.Context) {
	switch err := f.apply(ctx); {
	case err == nil:
		f.log.Info("provisioning files applied", "directory", f.dir)
	case ctx.Err() == nil:
		f.report(err)
	}
}

// report logs a failure unless it was logged since the files changed.
func (f *files) report(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	digest := sha256.Sum256([]byte(err.Error())) // the text may name thousands of dashboards
	if f.logged[digest] {
		return
	}
	if f.logged == nil || len(f.logged) >= mostLogged {
		f.logged = map[[32]byte]bool{}
	}
	f.logged[digest] = true
	f.log.Error("some provisioning files could not be applied; the host will try again", "error", err)
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
		s.files.report(err)
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
	return t.store.DataSources(ctx, t.by.OrgID, nil, store.Page{Limit: gate.MaxDataSources})
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

func (t target) AppSecrets(ctx context.Context, pluginID string) ([]string, error) {
	a, err := t.store.AppSettings(ctx, t.by.OrgID, pluginID)
	return a.SecretNames, err
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
