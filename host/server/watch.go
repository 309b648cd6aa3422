package server

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host/api"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/loader/watch"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// watch mounts the plugins and follows changes in the plugin directories until ctx is done.
func (s *Server) watch(ctx context.Context) error {
	return watch.Run(ctx, watch.Options{Dirs: s.options.PluginDirs}, func(c watch.Changes) {
		if err := s.refresh(ctx, c); err != nil && ctx.Err() == nil {
			s.log.Error("changes to plugins not applied", "error", err)
		}
	})
}

// refresh applies changes and announces the results once they are known.
func (s *Server) refresh(ctx context.Context, c watch.Changes) error {
	if err := s.loader.Refresh(c.Moving); err != nil {
		return err
	}
	for p, parts := range changedParts(s.loader.Plugins(), c.Changed) {
		s.mounting.Go(func() {
			if p.Settled(ctx) == nil {
				s.api.Announce(s.outcome(p, parts))
			}
		})
	}
	return s.reconcile(ctx)
}

// changedParts returns the plugins to which files belong, with the names of their parts.
func changedParts(plugins []*loader.Plugin, files []string) map[*loader.Plugin][]string {
	byDir := map[string]*loader.Plugin{}
	for _, p := range plugins {
		byDir[p.Bundle().Dir] = p
	}
	parts := map[*loader.Plugin][]string{}
	for _, file := range files {
		dir := filepath.Dir(file)
		for byDir[dir] == nil && dir != filepath.Dir(dir) {
			dir = filepath.Dir(dir)
		}
		if p := byDir[dir]; p != nil {
			parts[p] = append(parts[p], partOf(p.Bundle(), file))
		}
	}
	for p, names := range parts {
		slices.Sort(names)
		parts[p] = slices.Compact(names)
	}
	return parts
}

// partOf names the part of a plugin to which a file belongs, as builds do.
func partOf(b bundle.Plugin, file string) string {
	executable, _ := b.ExecutablePath() // one outside of the plugin is never started
	switch file {
	case filepath.Join(b.Dir, bundle.MetadataFile):
		return "metadata"
	case executable:
		return "backend"
	}
	if ext := filepath.Ext(file); ext == ".js" || ext == ".map" {
		return "frontend"
	}
	return "assets"
}

func (s *Server) outcome(p *loader.Plugin, parts []string) hostapi.PluginEvent {
	b, status := p.Bundle(), p.Status()
	e := hostapi.PluginEvent{Name: api.EventReady, ID: p.ID(), Version: b.Metadata.Info.Version, Changed: parts}
	if slices.Contains(parts, "backend") || slices.Contains(parts, "metadata") { // the process depends on them
		e.Reason = status.Reason
	}
	for _, f := range s.loader.Faults() {
		if f.Path == b.Dir || f.Path == filepath.Join(b.Dir, bundle.MetadataFile) {
			e.Reason = f.Reason
		}
	}
	if e.Reason != "" {
		e.Name = api.EventFailed
	}
	return e
}

func (s *Server) announce(c loader.Change) {
	state := string(c.Status.State)
	if c.Kind != loader.ChangeState {
		state = string(c.Kind)
	}
	s.api.Announce(hostapi.PluginEvent{Name: api.EventState, ID: c.ID, Version: c.Version, State: state, Reason: c.Status.Reason})
}
