package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// Without the original key, secrets cannot be read, but everything else can. With another one, the
// database is not opened: the host would store secrets that no single key can decrypt.
func TestSecretsNeedTheirKey(t *testing.T) {
	t.Parallel()
	ctx, root, database := t.Context(), as(host.RoleAdmin), newDatabase(t)
	with := func(key []byte) *store.Store { return open(t, store.Options{Database: database, Key: key}) }
	key := bytes.Repeat([]byte{1}, host.KeyLength)
	first := with(key)
	d := testkit.Must(first.CreateDataSource(ctx, root, host.DataSource{Name: "a", Type: "acme-datasource", Secrets: map[string]string{"token": "s3cret"}}))(t)
	if got := testkit.Must(first.Unlock(ctx, org, d.UID))(t); got.Secrets["token"] != "s3cret" {
		t.Errorf("unlocked data source: %+v", got)
	}
	for _, s := range []*store.Store{with(nil)} {
		found := testkit.Must(s.DataSources(ctx, org, nil, store.Page{}))(t)
		if len(found) != 1 || len(found[0].SecretNames) != 1 {
			t.Errorf("data source without secrets: %+v", found)
		}
		if _, err := s.Unlock(ctx, org, d.UID); !errors.Is(err, host.ErrUnavailable) || !strings.Contains(err.Error(), "token") || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("other key: %v", err)
		}
	}
	if _, err := with(nil).CreateDataSource(ctx, root, host.DataSource{Name: "b", Type: "x", Secrets: map[string]string{"a": "b"}}); !errors.Is(err, host.ErrUnavailable) {
		t.Errorf("storing a secret without a key: %v", err)
	}
	if got := testkit.Must(first.DataSourceByID(ctx, org, d.ID))(t); got.UID != d.UID {
		t.Errorf("data source by id: %+v", got)
	}
	for _, uid := range []string{d.UID, "none"} {
		if got := testkit.Must(first.DataSources(ctx, org, &[]string{uid}, store.Page{}))(t); (len(got) == 1) != (uid == d.UID) {
			t.Errorf("data sources with the uid %s: %+v", uid, got)
		}
	}
	if _, err := first.DataSourceByName(ctx, org, "b"); !errors.Is(err, host.ErrNotFound) {
		t.Errorf("data source after its secret could not be stored: %v", err)
	}
	other := bytes.Repeat([]byte{2}, host.KeyLength)
	if _, err := store.Open(ctx, store.Options{Database: database, Key: other}); !errors.Is(err, store.ErrKey) {
		t.Errorf("another key: %v", err)
	}
	empty := newDatabase(t)
	open(t, store.Options{Database: empty, Key: key})
	if _, err := store.Open(ctx, store.Options{Database: empty, Key: other}); !errors.Is(err, store.ErrKey) {
		t.Errorf("another key for a database without secrets: %v", err)
	}
	with(key)
	if _, err := store.Open(ctx, store.Options{Database: database, Key: []byte("short")}); err == nil {
		t.Error("a short key is accepted")
	}
}

// At most one data source is the default.
func TestDefaultDataSource(t *testing.T) {
	t.Parallel()
	s, ctx, root := open(t, store.Options{}), t.Context(), as(host.RoleAdmin)
	save := func(name string, isDefault bool) host.DataSource {
		return testkit.Must(s.CreateDataSource(ctx, root, host.DataSource{Name: name, Type: "acme-datasource", IsDefault: isDefault}))(t)
	}
	named := func() string { return testkit.Must(s.DataSourceOfType(ctx, org, "acme-datasource"))(t).Name }
	save("oldest", false)
	if got := named(); got != "oldest" {
		t.Errorf("data source of the type: %s", got)
	}
	save("b", true)
	c := save("c", true)
	if got := named(); got != "c" {
		t.Errorf("data source of the type: %s", got)
	}
	defaults := 0
	for _, d := range testkit.Must(s.DataSources(ctx, org, nil, store.Page{}))(t) {
		if d.IsDefault {
			defaults++
		}
	}
	if defaults != 1 {
		t.Errorf("%d default data sources, want 1", defaults)
	}
	testkit.Must(s.DeleteDataSource(ctx, root, c.UID))(t)
	if got := named(); got != "oldest" {
		t.Errorf("data source of the type: %s", got)
	}
}

// TestDataSourcePages lists data sources with the names of their secrets, by pages.
func TestDataSourcePages(t *testing.T) {
	t.Parallel()
	s, ctx, root := open(t, store.Options{Key: bytes.Repeat([]byte{1}, host.KeyLength)}), t.Context(), as(host.RoleAdmin)
	for _, name := range []string{"b", "a", "c"} {
		secrets := map[string]string{"token": "x", "password": "y"}
		if name == "c" {
			secrets = nil
		}
		testkit.Must(s.CreateDataSource(ctx, root, host.DataSource{Name: name, Type: "acme-datasource", Secrets: secrets}))(t)
	}
	for number, want := range map[int64]string{1: "a[password token] b[password token] ", 2: "c[] ", 3: ""} {
		got := ""
		for _, d := range testkit.Must(s.DataSources(ctx, org, nil, store.Page{Limit: 2, Number: number}))(t) {
			got += fmt.Sprint(d.Name, d.SecretNames, " ")
		}
		if got != want {
			t.Errorf("page %d: %s, want %s", number, got, want)
		}
	}
}

// TestSettingsQuota fills the space for settings, changes what is there and makes room.
func TestSettingsQuota(t *testing.T) {
	t.Parallel()
	s, ctx, root := open(t, store.Options{}), t.Context(), as(host.RoleAdmin)
	save := func(name string, bytes int) error {
		text := fmt.Appendf(nil, `{"a":%q}`, strings.Repeat("x", bytes-len(`{"a":""}`)))
		d := host.DataSource{UID: name, Name: name, Type: "acme-datasource", JSON: text}
		_, err := s.UpdateDataSource(ctx, root, d)
		if errors.Is(err, host.ErrNotFound) {
			_, err = s.CreateDataSource(ctx, root, d)
		}
		return err
	}
	const most = 512 << 10 // bytes of the settings of one data source
	for n := range gate.MaxDataSourceSettings/most - 1 {
		testkit.OK(t, save(fmt.Sprint("full-", n), most))
	}
	for _, c := range []struct {
		name  string
		bytes int
		want  error
	}{
		{"a", most - 100, nil},
		{"b", 100, nil},
		{"c", 10, host.ErrThrottled},
		{"b", 101, host.ErrThrottled},
		{"a", most - 101, nil},
		{"b", 101, nil},
	} {
		if err := save(c.name, c.bytes); !errors.Is(err, c.want) {
			t.Errorf("%s with %d bytes: %v, want %v", c.name, c.bytes, err, c.want)
		}
	}
}

// TestSecretsQuota adds secrets in several changes, replaces one and makes room.
func TestSecretsQuota(t *testing.T) {
	t.Parallel()
	s, ctx, root := open(t, store.Options{Key: make([]byte, host.KeyLength)}), t.Context(), as(host.RoleAdmin)
	testkit.Must(s.CreateDataSource(ctx, root, host.DataSource{UID: "d", Name: "d", Type: "acme-datasource"}))(t)
	names := func(from, to int) map[string]string {
		secrets := map[string]string{}
		for n := from; n < to; n++ {
			secrets[fmt.Sprint("k", n)] = "v"
		}
		return secrets
	}
	for _, c := range []struct {
		change map[string]string
		want   error
	}{
		{names(0, gate.MaxSecrets), nil},
		{map[string]string{"one": "v"}, host.ErrInvalid},
		{map[string]string{"k0": "w"}, nil},
		{map[string]string{"one": "v", "k0": ""}, nil},
		{map[string]string{"k0": "v"}, host.ErrInvalid},
	} {
		_, err := s.UpdateDataSource(ctx, root, host.DataSource{UID: "d", Name: "d", Type: "acme-datasource", Secrets: c.change})
		if !errors.Is(err, c.want) {
			t.Errorf("data source with %d changed secrets: %v, want %v", len(c.change), err, c.want)
		}
		if err := s.SetAppSettings(ctx, root, host.AppSettings{PluginID: "acme-app", Secrets: c.change}); !errors.Is(err, c.want) {
			t.Errorf("app with %d changed secrets: %v, want %v", len(c.change), err, c.want)
		}
	}
	if d := testkit.Must(s.DataSource(ctx, org, "d"))(t); len(d.SecretNames) != gate.MaxSecrets {
		t.Errorf("%d secrets are stored, want %d", len(d.SecretNames), gate.MaxSecrets)
	}
}
