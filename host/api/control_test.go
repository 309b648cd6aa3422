package api_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/loader"
)

func TestControl(t *testing.T) {
	t.Parallel()
	f := withPlugins(t, loader.Options{HostVersion: "10.4.2"}, "acme-other-datasource", pluginID)
	base := "/api/plugins/" + pluginID
	post := func(path, who string, want int) (state struct {
		Name    string
		Backend struct {
			State, Reason string
			PID           int
		}
	}) {
		t.Helper()
		got := f.do("POST", path, who, "")
		if got.status != want {
			t.Fatalf("POST %s: status %d, want %d: %s", path, got.status, want, got.body)
		}
		testkit.OK(t, json.Unmarshal([]byte(got.body), &state))
		return state
	}
	other := f.grantee(t, host.Grant{Action: access.PluginsWrite, Scope: "plugins:id:acme-other-datasource"})
	for who, want := range map[string]int{"": 401, f.viewer: 403, f.editor: 403, other: 403} {
		for _, action := range []string{"/restart", "/reload"} {
			post(base+action, who, want)
		}
	}
	for _, action := range []string{"/restart", "/reload"} {
		post("/api/plugins/acme-none-panel"+action, f.admin, 404)
	}
	first := post(base+"/reload", f.admin, 200).Backend
	second := post(base+"/restart", f.grantee(t, host.Grant{Action: access.PluginsWrite, Scope: "plugins:id:" + pluginID}), 200).Backend
	if first.PID == 0 || second.PID == first.PID || second.State != "running" {
		t.Errorf("before %+v, after the restart %+v", first, second)
	}
	metadata := func(text string) {
		t.Helper()
		testkit.WriteFile(t, filepath.Join(f.pluginDir, bundle.MetadataFile), text)
	}
	metadata(fmt.Sprintf(`{"id":%q,"name":"Renamed","type":"datasource","backend":true,"executable":%q,"info":{"version":"1.2.3"}}`, pluginID, backendName))
	if got := post(base+"/reload", f.admin, 200); got.Name != "Renamed" || got.Backend.PID != second.PID {
		t.Errorf("after a change of plugin.json: %+v", got)
	}
	metadata(fmt.Sprintf(`{"id":%q,"name":"Broken","type":"datasource","backend":true,"executable":"gpx_none","info":{"version":"1.2.3"}}`, pluginID))
	if got := post(base+"/reload", f.admin, 503); got.Backend.PID != second.PID || !strings.Contains(got.Backend.Reason, "gpx_none") {
		t.Errorf("after a change that does not start: %+v", got)
	}
	metadata(fmt.Sprintf(`{"id":%q,"name":"Front","type":"datasource","info":{"version":"1.2.3"}}`, pluginID))
	post(base+"/reload", f.admin, 200)
	post(base+"/restart", f.admin, 400)
	testkit.OK(t, os.RemoveAll(f.pluginDir))
	post(base+"/reload", f.admin, 404)
}

// grantee returns the credential of a service account with one grant.
func (f *fixture) grantee(t *testing.T, grant host.Grant) string {
	t.Helper()
	token := testkit.Must(f.store.ReconcilePluginAccount(t.Context(), org, "acme-"+fmt.Sprint(len(grant.Scope))+"-app", "test", []host.Grant{grant}))(t)
	return "Bearer " + token.Secret()
}
