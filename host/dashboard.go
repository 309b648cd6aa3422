package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/host/gate"
)

// Dashboard is a page of panels. The host stores its model as it is.
type Dashboard struct {
	ID          int64
	UID         string // assigned by the store if empty
	Title       string
	Tags        []string // sorted
	FolderID    int64    // 0 if it is in no folder
	FolderUID   string   // "" if it is in no folder
	FolderTitle string
	Version     int64     // starts at 1 and grows with each change
	Created     time.Time // zero if it is not known
	Updated     time.Time
	PluginID    string          // the plugin it was imported from; "" if users created it
	Model       json.RawMessage // an object; nil in lists
}

// ParseDashboard reads id, uid, title, tags and version from the model of a dashboard. It
// returns an error (ErrInvalid) if they break a rule. path is the prefix of their names
// in errors, such as "dashboard.".
func ParseDashboard(path string, model json.RawMessage) (Dashboard, error) {
	var head struct {
		ID      int64    `json:"id"`
		UID     string   `json:"uid"`
		Title   string   `json:"title"`
		Tags    []string `json:"tags"`
		Version int64    `json:"version"`
	}
	d := Dashboard{Model: model}
	if err := json.Unmarshal(model, &head); err != nil {
		field := ""
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			field = wrong.Field
		}
		return d, Invalid(strings.TrimSuffix(path+field, "."), "has the wrong type: id and version must be integers, uid and title strings, tags an array of strings")
	}
	d.ID, d.UID, d.Title, d.Version = head.ID, head.UID, head.Title, head.Version
	d.Tags = slices.Compact(slices.Sorted(slices.Values(head.Tags)))
	return d, d.check(path)
}

func (d Dashboard) check(path string) error {
	if err := checkName(path+"title", d.Title); err != nil {
		return err
	}
	if d.UID != "" && !IsUID(d.UID) {
		return Invalid(path+"uid", UIDRule, Quote(d.UID))
	}
	if len(d.Tags) > gate.MaxTags {
		return Invalid(path+"tags", "must not have more than %d entries, found %d", gate.MaxTags, len(d.Tags))
	}
	size := 0
	for _, tag := range d.Tags {
		if err := checkName(path+"tags", tag); err != nil {
			return err
		}
		size += len(tag)
	}
	if size > gate.MaxTagBytes {
		return Invalid(path+"tags", "must not exceed %d bytes in total, found %d", gate.MaxTagBytes, size)
	}
	return nil
}

// Check returns an error (ErrInvalid) if the dashboard breaks a rule.
func (d Dashboard) Check() error { return d.check("") }

// FullModel returns the model with the stored id, uid, title, tags and version.
func (d Dashboard) FullModel() (json.RawMessage, error) {
	model := map[string]any{}
	var stored map[string]json.RawMessage
	if err := json.Unmarshal(d.Model, &stored); err != nil {
		return nil, fmt.Errorf("read the model of dashboard %s: %w", d.UID, err)
	}
	for key, value := range stored {
		model[key] = value
	}
	maps.Copy(model, map[string]any{"id": d.ID, "uid": d.UID, "title": d.Title, "tags": append([]string{}, d.Tags...), "version": d.Version})
	return json.Marshal(model)
}

// Slug returns the title as it appears in the URL of the dashboard.
func (d Dashboard) Slug() string { return slugOrHash(d.Title) }
