package provisioning

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// Playlist is a playlist in a file.
type Playlist struct {
	hostapi.Playlist        // UID is never empty
	File             string // slash-separated, in the provisioning directory
	IsPruned         bool   // delete it when no file describes it any longer
}

func (r *reader) playlists(d document) {
	for _, e := range r.entries(d, "deletePlaylists") {
		r.config.DeletedLists = append(r.config.DeletedLists, e.required("uid"))
	}
	isPruned := entry{r, d.file, d.root}.flag("prune")
	for _, e := range r.entries(d, "playlists") {
		p := Playlist{File: d.file, IsPruned: isPruned,
			Playlist: hostapi.Playlist{UID: e.text("uid"), Name: e.required("name"), Interval: e.required("interval")}}
		if p.UID == "" {
			sum := sha256.Sum256([]byte(p.Name))
			p.UID = fmt.Sprintf("p%x", sum[:8])
		}
		for _, item := range r.entries(document{d.file, e.node}, "items") {
			p.Items = append(p.Items, hostapi.PlaylistItem{Type: item.required("type"), Value: item.required("value"), Title: item.text("title")})
		}
		if p.Name == "" || p.Interval == "" {
			continue // reported
		}
		if !host.IsUID(p.UID) {
			e.fail(d.file, valueOf(e.node, "uid"), "uid "+host.UIDRule, strconv.Quote(e.shown(valueOf(e.node, "uid"))))
		}
		normal, err := host.NormalizePlaylist(p.Playlist)
		e.check(err)
		e.unique("playlist", "uid", p.UID, "another playlist has the uid %.100q")
		p.Playlist = normal
		r.config.Playlists = append(r.config.Playlists, p)
	}
}

func (c *Config) applyPlaylists(ctx context.Context, t target, before State, after *State) error {
	var failed []error
	isWanted := func(uid string) bool {
		return slices.ContainsFunc(c.Playlists, func(p Playlist) bool { return p.UID == uid })
	}
	for _, uid := range slices.Concat(c.DeletedLists, before.Playlists) {
		if isWanted(uid) {
			continue
		}
		if err := t.DeletePlaylist(ctx, t.by.OrgID, uid); err != nil && !errors.Is(err, host.ErrNotFound) {
			failed = append(failed, fmt.Errorf("delete playlist %s: %w", uid, err))
			after.Playlists = append(after.Playlists, uid) // the next call tries again
		}
	}
	for _, p := range c.Playlists {
		if p.IsPruned {
			after.Playlists = append(after.Playlists, p.UID)
		}
		stored, err := t.Playlist(ctx, t.by.OrgID, p.UID)
		if err == nil && stored.Name == p.Name && stored.Interval == p.Interval && slices.EqualFunc(stored.Items, p.Items, isSameItem) {
			continue
		}
		if err == nil || errors.Is(err, host.ErrNotFound) {
			_, err = t.PutPlaylist(ctx, t.by.OrgID, p.Playlist)
		}
		if err != nil {
			failed = append(failed, &Error{File: p.File, Err: fmt.Errorf("playlist %q: %w", p.Name, err)})
		}
	}
	return errors.Join(failed...)
}

func isSameItem(a, b hostapi.PlaylistItem) bool {
	return a.Type == b.Type && a.Value == b.Value && a.Title == b.Title
}

// ExportPlaylists returns a file of the directory playlists.
func ExportPlaylists(list []hostapi.Playlist) ([]byte, error) {
	type item struct {
		Type  string
		Value string
		Title string `yaml:",omitempty"`
	}
	type exported struct {
		UID            string
		Name, Interval string
		Items          []item
	}
	file := struct {
		APIVersion int `yaml:"apiVersion"`
		Playlists  []exported
	}{1, []exported{}}
	dollars := func(text string) string { return strings.ReplaceAll(text, "$", "$$") } // which a reader expands
	for _, p := range list {
		e := exported{UID: p.UID, Name: dollars(p.Name), Interval: p.Interval, Items: []item{}}
		for _, i := range p.Items {
			e.Items = append(e.Items, item{i.Type, dollars(i.Value), dollars(i.Title)})
		}
		file.Playlists = append(file.Playlists, e)
	}
	return yaml.Marshal(file)
}
