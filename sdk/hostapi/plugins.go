package hostapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// PluginAbout is what a host says about a mounted plugin in its list and in its settings.
type PluginAbout struct {
	ID            string       `json:"id"`
	Name          string       `json:"name"`
	Type          string       `json:"type"`
	Category      string       `json:"category"`
	State         string       `json:"state"`   // alpha, beta or ""; existing hosts also have stable and deprecated
	Enabled       bool         `json:"enabled"` // an app can be disabled
	Pinned        bool         `json:"pinned"`
	Info          PluginInfo   `json:"info"`
	Dependencies  Dependencies `json:"dependencies"`
	DefaultNavURL string       `json:"defaultNavUrl"`
	LatestVersion string       `json:"latestVersion"` // "": this host has no catalog of plugins
	HasUpdate     bool         `json:"hasUpdate"`
	Signature     string       `json:"signature"`     // unsigned: this host verifies no signatures
	SignatureType string       `json:"signatureType"` // ""
	SignatureOrg  string       `json:"signatureOrg"`  // ""
}

// Plugin is a mounted plugin in the list of plugins. Existing hosts send neither Version, which is
// also Info.Version, nor Backend.
type Plugin struct {
	PluginAbout
	Version string   `json:"version"`
	Backend *Backend `json:"backend,omitempty"` // nil if the plugin has no backend
}

// Backend is the state of a backend. Only callers that manage the plugin see reasons and
// the PID.
type Backend struct {
	State    string       `json:"state"`
	Restarts int          `json:"restarts"`
	Token    BackendToken `json:"token"`
	Reason   string       `json:"reason,omitempty"`
	PID      int          `json:"pid,omitempty"`
}

// BackendToken says whether a backend got the token of its service account.
type BackendToken struct {
	Injected bool   `json:"injected"`
	Reason   string `json:"reason,omitempty"`
}

// IsFailed reports whether the backend has failed and does not start again by itself.
func (p Plugin) IsFailed() bool {
	return p.Backend != nil && (p.Backend.State == "failed" || p.Backend.State == "crash-loop")
}

// PluginProblem is a plugin that is not mounted, whose backend is not running, that has an
// unmet requirement, or one of whose roles is not registered.
type PluginProblem struct {
	Code     string    `json:"errorCode"`
	Stage    string    `json:"stage"` // what the host was doing
	PluginID string    `json:"pluginId"`
	Path     string    `json:"path"`
	Line     int       `json:"line,omitempty"`   // in the file at path, from 1
	Column   int       `json:"column,omitempty"` // from 1
	Reason   string    `json:"reason"`
	Help     string    `json:"help"` // what to do about it
	Since    time.Time `json:"since"`
	Stderr   []string  `json:"stderr,omitempty"` // the last lines that the process printed
}

// Plugins lists the mounted plugins, up to the host's default limit.
func (c *Client) Plugins(ctx context.Context) ([]Plugin, error) {
	return call[[]Plugin](ctx, c, http.MethodGet, "api/plugins", nil, nil, nil)
}

// PluginProblems lists what is wrong with plugins, up to the host's default limit. It requires the
// permission plugins:write.
func (c *Client) PluginProblems(ctx context.Context) ([]PluginProblem, error) {
	return call[[]PluginProblem](ctx, c, http.MethodGet, "api/plugins/errors", nil, nil, nil)
}

// PluginEvent is the outcome of a change to a plugin, or its state: an event in the stream
// GET /api/plugins/events.
type PluginEvent struct {
	Name    string    `json:"event"` // plugin-ready, plugin-failed or plugin-state
	ID      string    `json:"id"`    // of the plugin
	Version string    `json:"version"`
	Changed []string  `json:"changed"`         // what changed, such as "backend"
	State   string    `json:"state,omitempty"` // of plugin-state: "added", "removed" or a state of the backend
	Time    time.Time `json:"time"`
	Reason  string    `json:"reason,omitempty"` // why a change failed or a backend does not run; only for those who manage the plugin
}

// IsFailed reports whether the change is not live.
func (e PluginEvent) IsFailed() bool { return e.Name == "plugin-failed" }

// PluginLog is the log of a plugin.
type PluginLog struct {
	Records []LogRecord `json:"records"` // oldest first
	Dropped uint64      `json:"dropped"` // because the plugin logged too much
}

// LogRecord is an entry in the log of a plugin.
type LogRecord struct {
	Number  uint64          `json:"number"` // grows with each record
	Time    time.Time       `json:"time"`
	Level   string          `json:"level"`
	Message string          `json:"message"` // a panic has many lines
	Fields  json.RawMessage `json:"fields,omitempty"`
	IsCut   bool            `json:"cut,omitempty"` // the message or the fields were too long
}

// PluginDashboard is a dashboard that a plugin offers. Its revision is the version in the
// file, and the imported revision the number of changes since the import.
type PluginDashboard struct {
	PluginID         string `json:"pluginId"`
	Path             string `json:"path"`
	UID              string `json:"uid"`
	Title            string `json:"title"`
	Description      string `json:"description"`
	Slug             string `json:"slug"`
	Imported         bool   `json:"imported"`
	ImportedURI      string `json:"importedUri"`
	ImportedURL      string `json:"importedUrl"`
	ImportedRevision int64  `json:"importedRevision"`
	Revision         int64  `json:"revision"`
	DashboardID      int64  `json:"dashboardId"`
	FolderID         int64  `json:"folderId"`
	FolderUID        string `json:"folderUid"`
	Removed          bool   `json:"removed"`
	Error            string `json:"error,omitempty"` // why it cannot be imported
}
