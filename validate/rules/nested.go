package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

// nestedIn lists the plugin.json files of the run that belong to the plugin: those
// below it and not in a dist folder of it, which is a plugin of its own.
func nestedIn(p *validate.Pass) (files []string) {
	for _, file := range p.Plugins {
		if file == p.File || path.Base(file) != bundle.MetadataFile || !isInside(p.Dir, file) {
			continue
		}
		if folders := strings.Split(below(p.Dir, path.Dir(file)), "/"); !slices.Contains(folders, bundle.DistDir) {
			files = append(files, file)
		}
	}
	return files
}
