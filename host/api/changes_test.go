package api_test

import (
	"encoding/json"
	"testing"

	"github.com/slipway-dev/slipway/host/api"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// Administrators see the latest changes.
func TestPluginChanges(t *testing.T) {
	t.Parallel()
	f := withPlugin(t)
	f.Announce(hostapi.PluginEvent{Name: api.EventReady, ID: "another", Version: "1"})
	f.Announce(hostapi.PluginEvent{Name: api.EventFailed, ID: pluginID, Version: "1", Reason: "no"})
	f.Announce(hostapi.PluginEvent{Name: api.EventReady, ID: pluginID, Version: "2", Changed: []string{"backend"}})
	var changes []struct {
		Event, ID, Version, Reason string
		Changed                    []string
	}
	reply := f.do("GET", "/api/plugins/"+pluginID+"/changes", f.admin, "")
	if err := json.Unmarshal([]byte(reply.body), &changes); err != nil || len(changes) != 2 || changes[0].Reason != "no" || changes[1].Event != api.EventReady || changes[1].Changed[0] != "backend" {
		t.Errorf("%v: %+v", err, reply)
	}
	for range 200 { // more than the host remembers
		f.Announce(hostapi.PluginEvent{Name: api.EventState, ID: pluginID, State: "running"})
	}
	reply = f.do("GET", "/api/plugins/changes", f.admin, "")
	if err := json.Unmarshal([]byte(reply.body), &changes); err != nil || len(changes) != 1 || changes[0].ID != pluginID || changes[0].Version != "2" {
		t.Errorf("the last changes: %v: %+v", err, reply)
	}
	f.Announce(hostapi.PluginEvent{Name: api.EventState, ID: pluginID, State: string(loader.ChangeRemoved)})
	if reply = f.do("GET", "/api/plugins/changes", f.admin, ""); reply.body != "[]" {
		t.Errorf("the last changes after the plugin was removed: %+v", reply)
	}
	f.check(t, "for an editor", 403, "GET", "/api/plugins/"+pluginID+"/changes", f.editor, "")
	f.check(t, "of a missing plugin", 404, "GET", "/api/plugins/missing/changes", f.admin, "")
}
