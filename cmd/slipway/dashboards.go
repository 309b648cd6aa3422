package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/loader"
)

// maxDashboard is the most bytes of a dashboard's file.
const maxDashboard = 4 << 20

// importDashboards stores the dashboards that plugins include. One that cannot be
// read is logged and keeps no other from being imported.
func importDashboards(ctx context.Context, s *store.Store, log *slog.Logger, plugins []*loader.Plugin) error {
	for _, p := range plugins {
		b := p.Bundle()
		for n, include := range b.Metadata.Includes {
			if include.Type != "dashboard" || include.Path == "" {
				continue
			}
			if err := importDashboard(ctx, s, log, b, include); err != nil {
				if ctx.Err() != nil {
					return err
				}
				log.Warn("dashboard not imported", "plugin", p.ID(), "include", fmt.Sprintf("includes[%d]", n), "path", include.Path, "reason", err)
			}
		}
	}
	return nil
}

func importDashboard(ctx context.Context, s *store.Store, log *slog.Logger, b bundle.Plugin, include bundle.Include) error {
	model, err := readDashboard(b, include.Path)
	if err != nil {
		return err
	}
	d, err := host.ParseDashboard("", model)
	if err != nil {
		return err
	}
	if d.UID == "" {
		d.UID = include.UID
	}
	d.ID, d.Version, d.PluginID = 0, 0, b.Metadata.ID // they are ours
	sum := sha256.Sum256(model)
	isNew, err := s.ImportDashboard(ctx, store.MainOrg, d, hex.EncodeToString(sum[:]))
	if err == nil && isNew {
		log.Info("dashboard imported", "plugin", b.Metadata.ID, "uid", d.UID, "title", d.Title)
	}
	return err
}

// readDashboard reads a file of a plugin.
func readDashboard(b bundle.Plugin, name string) ([]byte, error) {
	f, err := b.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxDashboard+1))
	if err == nil && len(text) > maxDashboard {
		err = fmt.Errorf("it has more than %d MiB", maxDashboard>>20)
	}
	return text, err
}
