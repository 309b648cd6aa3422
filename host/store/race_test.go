package store_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// atOnce runs do in n goroutines and returns how many succeeded. An error that is not a
// *host.Error fails the test.
func atOnce(t *testing.T, n int, do func(n int) error) int64 {
	t.Helper()
	var group sync.WaitGroup
	var done atomic.Int64
	for i := range n {
		group.Go(func() {
			err := do(i)
			if _, isRefusal := errors.AsType[*host.Error](err); err != nil && !isRefusal {
				t.Errorf("%v", err)
			}
			if err == nil {
				done.Add(1)
			}
		})
	}
	group.Wait()
	return done.Load()
}

// Only one of several concurrent saves of the same version succeeds.
func TestOneReplacesAVersion(t *testing.T) {
	t.Parallel()
	s, ctx := open(t, store.Options{}), t.Context()
	for round := range 10 {
		uid := fmt.Sprint("d", round)
		save := func(version int64) func(int) error {
			return func(n int) error {
				_, err := s.SaveDashboard(ctx, org, host.Dashboard{UID: uid, Title: fmt.Sprint(n), Version: version}, store.Save{})
				return err
			}
		}
		if made := atOnce(t, 8, save(0)); made != 1 {
			t.Errorf("%d of the concurrent creations succeeded, want 1", made)
		}
		if saved := atOnce(t, 8, save(1)); saved != 1 {
			t.Errorf("%d of the concurrent saves of version 1 succeeded, want 1", saved)
		}
	}
}

// If a folder is deleted while dashboards are saved into it, none of them remains.
func TestFolderGoesWhileSaving(t *testing.T) {
	t.Parallel()
	s, ctx := open(t, store.Options{}), t.Context()
	for round := range 10 {
		uid := fmt.Sprint("f", round)
		testkit.Must(s.CreateFolder(ctx, org, host.Folder{UID: uid, Title: uid}))(t)
		atOnce(t, 8, func(n int) error {
			if n == 3 {
				_, err := s.DeleteFolder(ctx, org, uid, 0, nil)
				return err
			}
			_, err := s.SaveDashboard(ctx, org, host.Dashboard{Title: "x", FolderUID: uid}, store.Save{})
			return err
		})
	}
	if left := testkit.Must(s.Dashboards(ctx, org, store.DashboardFilter{}))(t); len(left) != 0 {
		t.Errorf("dashboards in the deleted folder: %+v", left)
	}
}

// Concurrent updates leave one default data source.
func TestOneDefault(t *testing.T) {
	t.Parallel()
	s, ctx, root := open(t, store.Options{}), t.Context(), as(host.RoleAdmin)
	for n := range 4 {
		testkit.Must(s.CreateDataSource(ctx, root, host.DataSource{UID: fmt.Sprint(n), Name: fmt.Sprint(n), Type: "x"}))(t)
	}
	done := atOnce(t, 16, func(n int) error {
		_, err := s.UpdateDataSource(ctx, root, host.DataSource{UID: fmt.Sprint(n % 4), Name: fmt.Sprint(n % 4), Type: "x", IsDefault: true})
		return err
	})
	defaults := 0
	for _, d := range testkit.Must(s.DataSources(ctx, org, nil, store.Page{}))(t) {
		if d.IsDefault {
			defaults++
		}
	}
	if done != 16 || defaults != 1 {
		t.Errorf("%d of 16 updates succeeded, %d default data sources", done, defaults)
	}
}

// A secret is only read with the address that it was stored with.
func TestSecretAndAddressAreOfOneVersion(t *testing.T) {
	t.Parallel()
	s, ctx, root := open(t, store.Options{Key: make([]byte, host.KeyLength)}), t.Context(), as(host.RoleAdmin)
	version := func(n int) host.DataSource {
		return host.DataSource{UID: "d", Name: "d", Type: "x", URL: fmt.Sprintf("http://h%d", n), Secrets: map[string]string{"k": fmt.Sprintf("http://h%d", n)}}
	}
	testkit.Must(s.CreateDataSource(ctx, root, version(0)))(t)
	var group sync.WaitGroup
	group.Go(func() {
		for n := range 100 {
			if _, err := s.UpdateDataSource(ctx, root, version(n)); err != nil {
				t.Error(err)
			}
		}
	})
	for range 200 {
		if d := testkit.Must(s.Unlock(ctx, org, "d"))(t); d.Secrets["k"] != d.URL {
			t.Errorf("secret %s was read with address %s", d.Secrets["k"], d.URL)
		}
	}
	group.Wait()
}
