package server

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestProvision(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	const id = "acme-x-datasource"
	plugins := t.TempDir()
	for name, text := range map[string]string{
		"x": `{"id": "` + id + `", "type": "datasource", "name": "X", "info": {"version": "1.0.0"}}`,
		"y": `{"id": "acme-y-app", "type": "app", "name": "Y", "info": {"version": "1.0.0"}}`,
	} {
		testkit.OK(t, os.MkdirAll(filepath.Join(plugins, name), 0o755))
		testkit.OK(t, os.WriteFile(filepath.Join(plugins, name, "plugin.json"), []byte(text), 0o644))
	}
	o := testOptions(t)
	o.PluginDirs = []string{plugins}
	s := open(t, o)
	if n := len(s.Loader().Plugins()); n != 2 { // before the first request, not some time later
		t.Fatalf("%d plugins are mounted: %v", n, s.Loader().Faults())
	}
	first := testkit.Must(s.Provision(ctx, "slipway dev"))(t)
	who, err := s.store.Authenticate(ctx, first)
	if err != nil || who.Role != host.RoleEditor {
		t.Errorf("the token belongs to %+v (%v)", who, err)
	}
	d, err := s.store.DataSource(ctx, store.MainOrg, id)
	if err != nil || d.Type != id {
		t.Errorf("data source %+v, %v", d, err)
	}
	second := testkit.Must(s.Provision(ctx, "slipway dev"))(t)
	if _, err := s.store.Authenticate(ctx, second); err != nil {
		t.Error(err)
	}
	if _, err := s.store.Authenticate(ctx, first); err == nil {
		t.Error("the token of the first call is still valid")
	}
	if list, err := s.store.DataSources(ctx, store.MainOrg, nil, store.Page{}); err != nil || len(list) != 1 {
		t.Errorf("data sources %+v, %v", list, err)
	}
	if list, total, err := s.store.ServiceAccounts(ctx, store.MainOrg, store.AccountFilter{}); err != nil || total != 1 {
		t.Errorf("service accounts %+v, %v", list, err)
	}
}
