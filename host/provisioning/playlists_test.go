package provisioning_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/host/provisioning"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// What is exported is what a file describes.
func TestReadPlaylists(t *testing.T) {
	t.Parallel()
	c, _, err := read(t, map[string]string{"playlists/a.yaml": `
apiVersion: 1
prune: true
deletePlaylists: [{uid: old}]
playlists:
  - {uid: morning, name: "Morning $$", interval: 5m, items: [{type: dashboard_by_tag, value: $HOST}, {type: dashboard_by_uid, value: a, title: A}]}
  - {name: Without uid, interval: 1h}
`})
	if err != nil {
		t.Fatal(err)
	}
	items := []hostapi.PlaylistItem{{Type: "dashboard_by_tag", Value: "db.example", Order: 1}, {Type: "dashboard_by_uid", Value: "a", Title: "A", Order: 2}}
	want := []hostapi.Playlist{{UID: "morning", Name: "Morning $", Interval: "5m", Items: items}, {UID: "p3042b73b7492d01b", Name: "Without uid", Interval: "1h", Items: []hostapi.PlaylistItem{}}}
	playlists := func(c *provisioning.Config) (list []hostapi.Playlist) {
		for _, p := range c.Playlists {
			list = append(list, p.Playlist)
		}
		return list
	}
	if diff := cmp.Diff(want, playlists(c)); diff != "" {
		t.Error(diff)
	}
	if !cmp.Equal(c.DeletedLists, []string{"old"}) || !c.Playlists[0].IsPruned {
		t.Errorf("%q, %+v", c.DeletedLists, c.Playlists[0])
	}
	text := testkit.Must(provisioning.ExportPlaylists(want))(t)
	again, _, err := read(t, map[string]string{"playlists/exported.yaml": string(text)})
	if err != nil || !cmp.Equal(want, playlists(again)) {
		t.Errorf("%v\n%s", err, text)
	}
	for entry, want := range map[string]string{
		"{name: A}":                           "playlists/a.yaml:3:5: interval is required",
		"{name: A, interval: 5}":              `playlists/a.yaml:3:25: interval: must be`,
		"{name: A, interval: 5m, uid: 'a b'}": `playlists/a.yaml:3:34: uid must be 1 to 40 letters, digits, - and _, found "a b"`,
		"{name: A, interval: 5m, items: [{type: x, value: y}]}": "playlists/a.yaml:3:5: items[0].type: must be dashboard_by_id",
		"{name: A, interval: 5m}\n  - {name: A, interval: 5m}":  "playlists/a.yaml:4:5: another playlist has the uid",
	} {
		_, _, err := read(t, map[string]string{"playlists/a.yaml": "apiVersion: 1\nplaylists:\n  - " + entry + "\n"})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", entry, err, want)
		}
	}
}
