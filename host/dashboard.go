package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Dashboard is a page of panels. The host keeps its model without looking into it.
type Dashboard struct {
	ID          int64
	UID         string // assigned by the store if empty
	Title       string
	Tags        []string // sorted
	FolderUID   string   // "" if it is in none
	FolderTitle string
	Version     int64 // counts the changes, from 1
	Updated     time.Time
	PluginID    string          // the plugin it came with; "" for one that people made
	Model       json.RawMessage // an object; nil where only the head was asked for
}

// MaxTags is the most tags of a dashboard.
const MaxTags = 100

// ParseDashboard reads the head of a dashboard from its model. It refuses
// (ErrInvalid) what breaks a rule; path is how the caller spells the model
// ("dashboard.").
func ParseDashboard(path string, model json.RawMessage) (Dashboard, error) {
	var head struct {
		ID      *int64   `json:"id"`
		UID     *string  `json:"uid"`
		Title   *string  `json:"title"`
		Tags    []string `json:"tags"`
		Version *int64   `json:"version"`
	}
	d := Dashboard{Model: model}
	if err := json.Unmarshal(model, &head); err != nil {
		field := ""
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			field = wrong.Field
		}
		return d, Invalid(strings.TrimSuffix(path+field, "."), "is not what a dashboard has there: id and version are whole numbers, uid and title texts, tags a list of texts")
	}
	d.ID, d.UID, d.Title, d.Version = valueOf(head.ID), valueOf(head.UID), valueOf(head.Title), valueOf(head.Version)
	d.Tags = slices.Compact(slices.Sorted(slices.Values(head.Tags)))
	return d, d.check(path)
}

func valueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

func (d Dashboard) check(path string) error {
	if err := checkName(path+"title", d.Title); err != nil {
		return err
	}
	if d.UID != "" && !IsUID(d.UID) {
		return Invalid(path+"uid", "%s is not 1 to 40 letters, digits, - and _", quote(d.UID))
	}
	if len(d.Tags) > MaxTags {
		return Invalid(path+"tags", "are %d, at most %d are allowed", len(d.Tags), MaxTags)
	}
	for _, tag := range d.Tags {
		if err := checkName(path+"tags", tag); err != nil {
			return err
		}
	}
	return nil
}

// Check refuses (ErrInvalid) a dashboard that breaks a rule.
func (d Dashboard) Check() error { return d.check("") }

// FullModel returns the model with the head of the dashboard as it is stored.
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

// Slug is the title as it appears in the dashboard's address.
func (d Dashboard) Slug() string { return slugOrHash(d.Title) }
