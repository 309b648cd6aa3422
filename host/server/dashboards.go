package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/limit"
)

// maxDashboard is the maximum size of a dashboard file in bytes.
const maxDashboard = 4 << 20

// importDashboards stores the dashboards that the mounted plugins include. A dashboard
// that cannot be imported is logged and skipped.
func (s *Server) importDashboards(ctx context.Context) error {
	for _, p := range s.loader.Plugins() {
		b := p.Bundle()
		for n, include := range b.Metadata.Includes {
			if include.Type != "dashboard" || include.Path == "" {
				continue
			}
			if err := s.importDashboard(ctx, b, include); err != nil {
				if ctx.Err() != nil {
					return err
				}
				s.log.Warn("dashboard not imported", "plugin", p.ID(), "include", fmt.Sprintf("includes[%d]", n), "path", include.Path, "error", err)
			}
		}
	}
	return nil
}

func (s *Server) importDashboard(ctx context.Context, b bundle.Plugin, include bundle.Include) error {
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
	d.ID, d.Version, d.PluginID = 0, 0, b.Metadata.ID // the store assigns id and version
	sum := sha256.Sum256(model)
	isNew, err := s.store.ImportDashboard(ctx, store.MainOrg, d, hex.EncodeToString(sum[:]))
	if err == nil && isNew {
		s.log.Info("dashboard imported", "plugin", b.Metadata.ID, "uid", d.UID, "title", d.Title)
	}
	return err
}

func readDashboard(b bundle.Plugin, name string) ([]byte, error) {
	f, err := b.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := limit.ReadAll(f, maxDashboard)
	if err != nil {
		err = fmt.Errorf("read %s: %w", name, err)
	}
	return text, err
}
