package frontend

import (
	"os"
	"path/filepath"
	"slices"
)

// themesDir is the directory of the style sheets of themes, in the sources and in dist.
const themesDir = "styles"

// themes returns the style sheets that the host loads when it runs the plugin: one for the dark
// theme and one for the light. grafana-toolkit writes them for every plugin that has them. A
// repository with the configuration of a newer bundler does not expect them.
func themes(o Options) (list []string) {
	exists := func(file string) bool {
		_, err := os.Stat(file)
		return err == nil
	}
	if slices.ContainsFunc(externalsFiles(), func(name string) bool { return exists(filepath.Join(o.Root, filepath.FromSlash(name))) }) {
		return nil
	}
	for _, theme := range []string{"dark", "light"} {
		file := filepath.Join(o.Source, themesDir, theme)
		if exists(file + ".css") {
			list = append(list, file+".css")
		} else if exists(file + ".scss") {
			list = append(list, file+".scss")
		}
	}
	return list
}
