package build

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/terminal"
)

// part is a part of dist: an executable, a frontend, or the assets.
type part struct {
	name       string // such as "linux/amd64" or "frontend"
	content    string // the file, or how many files
	size       int64  // bytes
	took       time.Duration
	isUpToDate bool
}

func writeTable(w io.Writer, parts []part) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, p := range parts {
		took := fmt.Sprintf("%.1fs", p.took.Seconds())
		if p.isUpToDate {
			took = terminal.Paint(w, terminal.Dim, "up to date")
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\n", p.name, p.content, progress.Size(p.size), took)
	}
	_ = t.Flush() // progress that cannot be printed is lost
}

func (p *Plan) printTable(r *Result) {
	if p.options.Update {
		return
	}
	var parts []part
	for _, e := range r.Executables {
		parts = append(parts, part{name: e.Platform.String(), content: e.File, size: e.Size, took: e.Took, isUpToDate: e.UpToDate})
	}
	parts = append(parts, r.frontends...)
	if len(p.Assets) > 0 {
		parts = append(parts, r.assets)
	}
	writeTable(p.options.Progress, parts)
}
