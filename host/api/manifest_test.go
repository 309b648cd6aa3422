package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host/api"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// Administrators see a plugin.json, with findings at their places, and the latest changes.
func TestPluginJSON(t *testing.T) {
	t.Parallel()
	f := withPlugin(t)
	text := "{\n  \"id\": \"" + pluginID + "\",\n  \"type\": \"datasource\",\n  \"name\": 7\n}\n"
	writeFiles(t, f.pluginDir, map[string]string{bundle.MetadataFile: text})
	var got struct {
		Text     string
		Findings []struct {
			Rule, Severity, Message string
			Line, Column, EndColumn int
		}
	}
	reply := f.do("GET", "/api/plugins/"+pluginID+"/manifest", f.admin, "")
	if err := json.Unmarshal([]byte(reply.body), &got); err != nil || got.Text != text {
		t.Fatalf("%v: %+v", err, reply)
	}
	isFound := false
	for _, x := range got.Findings {
		isFound = isFound || x.Rule == "wrong-type" && x.Severity == "error" && x.Line == 4 && x.Column == 11 && x.EndColumn == 12
	}
	if !isFound {
		t.Errorf("findings %+v", got.Findings)
	}
	for status, body := range map[int]string{500: strings.Repeat(" ", 1<<20+1), 200: "not JSON"} {
		writeFiles(t, f.pluginDir, map[string]string{bundle.MetadataFile: body})
		if reply := f.do("GET", "/api/plugins/"+pluginID+"/manifest", f.admin, ""); reply.status != status {
			t.Errorf("%.10q: %d %.200s", body, reply.status, reply.body)
		}
	}

	f.Announce(hostapi.PluginEvent{Name: api.EventReady, ID: "another", Version: "1"})
	f.Announce(hostapi.PluginEvent{Name: api.EventFailed, ID: pluginID, Version: "1", Reason: "no"})
	f.Announce(hostapi.PluginEvent{Name: api.EventReady, ID: pluginID, Version: "2", Changed: []string{"backend"}})
	var changes []struct {
		Event, ID, Version, Reason string
		Changed                    []string
	}
	reply = f.do("GET", "/api/plugins/"+pluginID+"/changes", f.admin, "")
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
	for _, path := range []string{"manifest", "changes"} {
		f.check(t, "for an editor", 403, "GET", "/api/plugins/"+pluginID+"/"+path, f.editor, "")
		f.check(t, "of a missing plugin", 404, "GET", "/api/plugins/missing/"+path, f.admin, "")
	}
}
