package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

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
	model, err := readWithin(b.Dir, include.Path)
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

// readWithin reads a file of a plugin; a path that leads out of its folder is an
// error.
func readWithin(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	name = filepath.FromSlash(name)
	info, err := root.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a file")
	case info.Size() > maxDashboard:
		return nil, fmt.Errorf("it has more than %d MiB", maxDashboard>>20)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxDashboard))
}
