package provisioning

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/host/store"
)

// target is the store, with the identity that changes it.
type target struct {
	*store.Store
	by host.Identity
}

// State is what Apply has stored, so that what removed files described is deleted.
type State struct {
	Pruned     []string                   `json:"pruned"`     // uids of data sources to delete when no file has them
	Dashboards map[string]StoredDashboard `json:"dashboards"` // by uid
	Playlists  []string                   `json:"playlists"`  // uids of playlists to delete when no file has them
}

// StoredDashboard is a dashboard that Apply stored.
type StoredDashboard struct {
	Digest string `json:"digest"` // of its file
	IsKept bool   `json:"isKept"` // when its file is deleted
}

// Apply makes a store agree with the files. Values that are equal are not stored again,
// and a dashboard is stored only if its file has changed: one that is not read-only can be
// edited in between. It returns the state for the next call, even with an error.
func Apply(ctx context.Context, s *store.Store, by host.Identity, c *Config, before State) (State, error) {
	t := target{s, by}
	after := State{Dashboards: map[string]StoredDashboard{}}
	err := errors.Join(c.applyDataSources(ctx, t, before, &after), c.applyApps(ctx, t), c.applyDashboards(ctx, t, before, &after),
		c.applyPlaylists(ctx, t, before, &after))
	return after, err
}

func (c *Config) applyDataSources(ctx context.Context, t target, before State, after *State) error {
	stored, err := t.DataSources(ctx, t.by.OrgID, nil, store.Page{Limit: gate.MaxDataSources})
	if err != nil {
		after.Pruned = before.Pruned
		return err
	}
	remove := func(isMeant func(host.DataSource) bool) (err error) {
		stored = slices.DeleteFunc(stored, func(d host.DataSource) bool {
			if !isMeant(d) {
				return false
			}
			_, failed := t.DeleteDataSource(ctx, t.by, d.UID)
			if failed != nil && slices.Contains(before.Pruned, d.UID) {
				after.Pruned = append(after.Pruned, d.UID) // the next call tries again
			}
			err = errors.Join(err, failed)
			return true
		})
		return err
	}
	isWanted := func(d host.DataSource) bool {
		return slices.ContainsFunc(c.DataSources, func(w DataSource) bool { return w.Name == d.Name || w.UID == d.UID })
	}
	var failed []error
	failed = append(failed, remove(func(d host.DataSource) bool {
		return !isWanted(d) && (slices.Contains(c.Delete, d.Name) || slices.Contains(before.Pruned, d.UID))
	}))
	for _, want := range c.DataSources {
		// A data source keeps its uid; one that must have another is created again.
		failed = append(failed, remove(func(d host.DataSource) bool {
			return want.HasUID && d.Name == want.Name && d.UID != want.UID
		}))
		at := slices.IndexFunc(stored, func(d host.DataSource) bool { return d.UID == want.UID })
		if at < 0 {
			at = slices.IndexFunc(stored, func(d host.DataSource) bool { return d.Name == want.Name })
		}
		d := want.DataSource
		if at >= 0 {
			d.UID = stored[at].UID
			err = t.update(ctx, d, stored[at].SecretNames)
		} else {
			_, err = t.CreateDataSource(ctx, t.by, d)
		}
		if err != nil {
			failed = append(failed, &Error{File: want.File, Err: fmt.Errorf("data source %q: %w", want.Name, err)})
		}
		if want.IsPruned {
			after.Pruned = append(after.Pruned, d.UID)
		}
	}
	return errors.Join(failed...)
}

// update stores a data source that has changed. names are those of the stored secrets.
func (t target) update(ctx context.Context, d host.DataSource, names []string) error {
	stored, err := t.Unlock(ctx, t.by.OrgID, d.UID)
	if err != nil && !isKeyLost(err) {
		return err
	}
	isSame := err == nil && d.Name == stored.Name && d.Type == stored.Type && d.URL == stored.URL && d.User == stored.User &&
		d.Database == stored.Database && d.BasicAuth == stored.BasicAuth && d.BasicAuthUser == stored.BasicAuthUser &&
		d.IsDefault == stored.IsDefault && isSameJSON(d.JSON, stored.JSON) && maps.Equal(d.Secrets, stored.Secrets)
	if isSame {
		return nil
	}
	d.Secrets = replacing(names, d.Secrets)
	_, err = t.UpdateDataSource(ctx, t.by, d)
	return err
}

// isKeyLost reports whether stored secrets cannot be decrypted. Those in the files replace them.
func isKeyLost(err error) bool {
	refusal, ok := errors.AsType[*host.Error](err)
	return ok && refusal.ID == "secrets.key"
}

// replacing returns the change that leaves only the wanted secrets.
func replacing(stored []string, want map[string]string) map[string]string {
	change := maps.Clone(want)
	for _, name := range stored {
		if _, ok := want[name]; !ok {
			change[name] = ""
		}
	}
	return change
}

func isSameJSON(a, b json.RawMessage) bool {
	compact := func(text json.RawMessage) []byte {
		var value any
		if json.Unmarshal(text, &value) != nil {
			return text
		}
		text, _ = json.Marshal(value) // which sorts the keys
		return text
	}
	return bytes.Equal(compact(a), compact(b))
}

func (c *Config) applyApps(ctx context.Context, t target) error {
	var failed []error
	for _, a := range c.Apps {
		if err := t.setApp(ctx, a); err != nil {
			failed = append(failed, fmt.Errorf("app %q: %w", a.PluginID, err))
		}
	}
	return errors.Join(failed...)
}

// setApp stores the settings of an app unless the stored ones are equal.
func (t target) setApp(ctx context.Context, a host.AppSettings) error {
	stored, err := t.UnlockApp(ctx, t.by.OrgID, a.PluginID)
	if err != nil && !isKeyLost(err) {
		return err
	}
	isSame := err == nil && !stored.Updated.IsZero() && a.IsEnabled == stored.IsEnabled && a.IsPinned == stored.IsPinned &&
		isSameJSON(a.JSON, stored.JSON) && maps.Equal(a.Secrets, stored.Secrets)
	if isSame {
		return nil
	}
	known, err := t.AppSettings(ctx, t.by.OrgID, a.PluginID)
	if err != nil {
		return err
	}
	a.Secrets = replacing(known.SecretNames, a.Secrets)
	return t.SetAppSettings(ctx, t.by, a)
}

func (c *Config) applyDashboards(ctx context.Context, t target, before State, after *State) error {
	var failed []error
	isFound := map[string]bool{}
	for _, d := range c.Dashboards {
		isFound[d.UID] = true
		digest, err := t.applyDashboard(ctx, d, before.Dashboards[d.UID].Digest)
		if err == nil {
			after.Dashboards[d.UID] = StoredDashboard{digest, d.IsKept}
			continue
		}
		failed = append(failed, &Error{File: d.File, Err: err})
		if stored, ok := before.Dashboards[d.UID]; ok {
			after.Dashboards[d.UID] = stored
		}
	}
	for uid, stored := range before.Dashboards {
		if isFound[uid] || stored.IsKept {
			continue
		}
		if c.isPartial { // the dashboard may be in a file that was not read
			after.Dashboards[uid] = stored
			continue
		}
		if _, err := t.DeleteDashboard(ctx, t.by.OrgID, uid); err != nil && !errors.Is(err, host.ErrNotFound) {
			failed = append(failed, fmt.Errorf("delete dashboard %s: %w", uid, err))
			after.Dashboards[uid] = stored
		}
	}
	return errors.Join(failed...)
}

func (t target) applyDashboard(ctx context.Context, d Dashboard, known string) (digest string, err error) {
	sum := sha256.Sum256(append([]byte(d.Folder+"\n"), d.Model...))
	digest = hex.EncodeToString(sum[:])
	if digest == known {
		if _, err := t.DashboardFolder(ctx, t.by.OrgID, d.UID); !errors.Is(err, host.ErrNotFound) {
			return digest, err
		}
	}
	if d.Folder != "" {
		if d.FolderUID, err = t.folder(ctx, d.Folder); err != nil {
			return "", err
		}
	}
	_, err = t.SaveDashboard(ctx, t.by.OrgID, d.Dashboard, store.Save{Overwrite: true})
	return digest, err
}

// folder returns the uid of the folder with a title, which it creates if needed.
func (t target) folder(ctx context.Context, title string) (uid string, err error) {
	f, err := t.FolderByTitle(ctx, t.by.OrgID, title)
	if errors.Is(err, host.ErrNotFound) {
		f, err = t.CreateFolder(ctx, t.by.OrgID, host.Folder{Title: title, CreatedBy: t.by.Login})
	}
	return f.UID, err
}
