package bench

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// validateFigures measures validate on one plugin and on trees of plugins.
func validateFigures(b *testing.B, program string) []figure {
	start := run(b, 60, program, "version")
	single := run(b, 60, program, "validate", writeTree(b, 1, false))
	figures := []figure{{
		name: "validate one plugin, median of 60", value: ms(single.median), format: "%.1f ms", bound: atMost(30),
		share: fmt.Sprintf("%.1f ms of processor time", ms(single.cpu)), others: fmt.Sprintf("slipway version: %.1f ms", ms(start.median)),
	}}
	for _, c := range []struct {
		name     string
		isFaulty bool
		bound    float64
	}{{"clean", false, 3}, {"faulty", true, 4.5}} {
		dir := writeTree(b, treeSize, c.isFaulty)
		r, reading := run(b, 5, program, "validate", dir), readTree(b, dir)
		figures = append(figures, figure{
			name: fmt.Sprintf("validate %d %s plugins, best of 5", treeSize, c.name), value: r.best.Seconds() / reading.Seconds(), format: "%.2f x", bound: atMost(c.bound),
			share: fmt.Sprintf("%.0f/s, %.2f ms of processor time each", treeSize/r.best.Seconds(), ms(r.cpu)/treeSize), others: fmt.Sprintf("reading and parsing: %.0f/s", treeSize/reading.Seconds()),
		})
	}
	return figures
}

// readTree reads all files of a tree, parses the JSON files with encoding/json, and returns the
// best time of 5.
func readTree(b *testing.B, dir string) (best time.Duration) {
	b.Helper()
	for range 5 {
		start := time.Now()
		var g errgroup.Group
		g.SetLimit(runtime.GOMAXPROCS(0))
		plugins := testkit.Must(os.ReadDir(dir))(b)
		for _, plugin := range plugins {
			g.Go(func() error {
				return filepath.WalkDir(filepath.Join(dir, plugin.Name()), func(file string, d fs.DirEntry, err error) error {
					if err != nil || d.IsDir() {
						return err
					}
					data, err := os.ReadFile(file)
					if err == nil && filepath.Ext(file) == ".json" {
						var value any
						err = json.Unmarshal(data, &value)
					}
					return err
				})
			})
		}
		testkit.OK(b, g.Wait())
		if took := time.Since(start); best == 0 || took < best {
			best = took
		}
	}
	return best
}
