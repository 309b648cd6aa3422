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
	at := validate.TreeFact(p, placesKey{}, func() map[string]int {
		places := make(map[string]int, len(p.Plugins))
		for i, file := range p.Plugins {
			places[file] = i
		}
		return places
	})
	for _, file := range p.Plugins[at[p.File]+1:] { // a folder and all below it come one after the other
		if !isInside(p.Dir, file) {
			break
		}
		folders := strings.Split(below(p.Dir, path.Dir(file)), "/")
		if path.Base(file) == bundle.MetadataFile && !slices.Contains(folders, bundle.DistDir) {
			files = append(files, file)
		}
	}
	return files
}

type placesKey struct{}
