package build

import (
	"fmt"
	"io"
	"time"

	"github.com/slipway-dev/slipway/internal/progress"
)

// part is a part of dist: an executable, a frontend, or the assets.
type part struct {
	name       string // such as "linux/amd64" or "frontend"
	content    string // the file, or how many files
	size       int64  // bytes
	took       time.Duration
	isUpToDate bool
}

func (e Executable) part() part {
	return part{name: e.Platform.String(), content: e.File, size: e.Size, took: e.Took, isUpToDate: e.UpToDate}
}

// cells returns the columns of a part.
func cells(p part) []string {
	took := fmt.Sprintf("%.1fs", p.took.Seconds())
	if p.isUpToDate {
		took = "up to date"
	}
	return []string{p.content, progress.Size(p.size), took}
}

// writeTable writes a line per part, in columns.
func writeTable(w io.Writer, parts []part) {
	var widths [3]int
	name := 14
	for _, p := range parts {
		name = max(name, len(p.name))
		for i, cell := range cells(p) {
			widths[i] = max(widths[i], len(cell))
		}
	}
	for _, p := range parts {
		c := cells(p)
		fmt.Fprintf(w, "  %-*s %-*s  %*s  %*s\n", name, p.name, widths[0], c[0], widths[1], c[1], widths[2], c[2])
	}
}

// printTable prints what dist consists of.
func (p *Plan) printTable(r *Result) {
	if p.options.Update {
		return
	}
	var parts []part
	for _, e := range r.Executables {
		parts = append(parts, e.part())
	}
	parts = append(parts, r.frontends...)
	if len(p.Assets) > 0 {
		parts = append(parts, r.assets)
	}
	writeTable(p.options.Progress, parts)
}

// files returns a number of files in words.
func files(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}
