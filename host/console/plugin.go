package console

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// pluginPage is the page of one plugin. What only administrators may see is empty for others.
type pluginPage struct {
	Plugin     hostapi.Plugin
	Dashboards []hostapi.PluginDashboard // that its files contain
	MayImport  bool
	Problems   []hostapi.PluginProblem
	Path       string // of the routes of the plugin in the API
	MayControl bool   // restart and reload it
	Changes    []hostapi.PluginEvent
	Log        *pluginLog
}

// Stderr returns the last lines that the backend printed before it failed.
func (p pluginPage) Stderr() (all []string) {
	for _, problem := range p.Problems {
		all = append(all, problem.Stderr...)
	}
	return all
}

// problems returns what is wrong with plugins: what the host reports and, until a change is
// live, failed builds. The host also applies changes without builds. Their outcomes name what
// changed. Their failures, and those of builds that do not start, are already in its reports.
func (c *client) problems(plugins []hostapi.Plugin) (all []hostapi.PluginProblem, err error) {
	if err := c.get("/api/plugins/errors", &all); err != nil {
		return nil, err
	}
	var last []hostapi.PluginEvent
	if err := c.getOptional("/api/plugins/changes", &last); err != nil {
		return nil, err
	}
	known := map[string][]string{} // reasons, by plugin
	for _, p := range all {
		known[p.PluginID] = append(known[p.PluginID], p.Reason)
	}
	for _, p := range plugins {
		if p.Backend != nil {
			known[p.ID] = append(known[p.ID], p.Backend.Reason)
		}
	}
	for _, outcome := range last {
		isKnown := slices.ContainsFunc(known[outcome.ID], func(reason string) bool { return reason != "" && strings.Contains(outcome.Reason, reason) })
		if outcome.IsFailed() && len(outcome.Changed) == 0 && !isKnown {
			all = append(all, hostapi.PluginProblem{Code: "build-failed", PluginID: outcome.ID, Reason: outcome.Reason, Help: "fix the error; until then, the previous build keeps serving"})
		}
	}
	return all, nil
}

// plugin returns the plugin that the page is about, and all plugins.
func (c *client) plugin() (p hostapi.Plugin, all []hostapi.Plugin, err error) {
	if err := c.get("/api/plugins", &all); err != nil {
		return p, nil, err
	}
	at := slices.IndexFunc(all, func(p hostapi.Plugin) bool { return p.ID == c.r.PathValue("id") })
	if at < 0 {
		return p, nil, &apiError{http.StatusNotFound, "Plugin not found"}
	}
	return all[at], all, nil
}

// plugin loads the page of one plugin.
func plugin(c *client) (any, error) {
	one, all, err := c.plugin()
	if err != nil {
		return nil, err
	}
	id := one.ID
	p := pluginPage{Plugin: one, Path: "/api/plugins/" + url.PathEscape(id)}
	if err := c.getOptional(p.Path+"/dashboards", &p.Dashboards); err != nil {
		return nil, err
	}
	p.MayImport = c.MaySome(access.DashboardsCreate)
	if !c.who.IsAdmin() {
		return p, nil
	}
	if p.Problems, err = c.problems(all); err != nil {
		return nil, err
	}
	p.Problems = slices.DeleteFunc(p.Problems, func(p hostapi.PluginProblem) bool { return p.PluginID != id })
	p.MayControl = true
	if err := c.getOptional(p.Path+"/changes", &p.Changes); err != nil {
		return nil, err
	}
	// States are not outcomes: each live change comes with some.
	p.Changes = slices.DeleteFunc(p.Changes, func(e hostapi.PluginEvent) bool { return e.Name == "plugin-state" })
	slices.Reverse(p.Changes)
	if p.Plugin.Backend == nil {
		return p, nil
	}
	p.Log, err = logOf(c, p.Path)
	return p, err
}

// getOptional is client.get for a route that may be missing or refused: into stays as it is.
func (c *client) getOptional(path string, into any) error {
	err := c.get(path, into)
	if problem, ok := errors.AsType[*apiError](err); ok && problem.Status != http.StatusUnauthorized {
		return nil
	}
	return err
}

const mostRecords = 200

type pluginLog struct {
	hostapi.PluginLog
	Level, Text string // the filter
}

// logOf returns the last records that the filter in the URL selects, the latest first, or nil.
func logOf(c *client, path string) (*pluginLog, error) {
	q := c.r.URL.Query()
	var log *hostapi.PluginLog
	filter := url.Values{"level": {q.Get("level")}, "text": {q.Get("text")}}
	if filter.Get("level") == "" {
		filter.Del("level")
	}
	if err := c.getOptional(path+"/logs?"+filter.Encode(), &log); err != nil || log == nil {
		return nil, err
	}
	slices.Reverse(log.Records)
	log.Records = log.Records[:min(len(log.Records), mostRecords)]
	return &pluginLog{*log, q.Get("level"), q.Get("text")}, nil
}

func overview(c *client) (any, error) {
	var data struct {
		Problems []hostapi.PluginProblem
		Plugins  []hostapi.Plugin
	}
	if err := c.get("/api/plugins", &data.Plugins); err != nil {
		return nil, err
	}
	if !c.who.IsAdmin() {
		return data, nil
	}
	var err error
	data.Problems, err = c.problems(data.Plugins)
	return data, err
}
