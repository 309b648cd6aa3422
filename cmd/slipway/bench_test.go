package main

import (
	"testing"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/rules"
)

// BenchmarkTree validates a tree of plugins in this process, for a profiler; the
// figures are those of BenchmarkFigures.
func BenchmarkTree(b *testing.B) {
	for name, isFaulty := range map[string]bool{"clean": false, "faulty": true} {
		b.Run(name, func(b *testing.B) {
			dir := writeTree(b, treeSize, isFaulty)
			all := rules.All()
			b.ReportAllocs()
			for b.Loop() {
				tree, options, err := validate.Open(dir, ".")
				if err != nil {
					b.Fatal(err)
				}
				options.Rules = all
				r, err := validate.Run(b.Context(), tree, options)
				if err != nil || r.Plugins != treeSize || (len(r.Findings) > 0) != isFaulty {
					b.Fatalf("%v, %d plugins, %d findings: %+v", err, r.Plugins, len(r.Findings), r.Findings[0])
				}
			}
			b.ReportMetric(treeSize*float64(b.N)/b.Elapsed().Seconds(), "plugins/s")
		})
	}
}
