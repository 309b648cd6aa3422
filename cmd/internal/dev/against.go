package dev

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/internal/text"
)

// otherBuild returns the plugins of the build that a check compares with, or nil without one.
func otherBuild(f verbs.Face, repo bundle.Repo, o *verbs.PreviewOptions) ([]bundle.Plugin, error) {
	if o.Against == "" {
		return nil, nil
	}
	option := f.Option("against") + "=" + o.Against
	dir, err := filepath.Abs(o.Against)
	switch {
	case err != nil:
		return nil, err
	case o.Update, strings.Contains(o.With, ","):
		return nil, verbs.Usage("%s compares two builds in one version, and keeps no pictures: leave out %s, and all but one version of %s", option,
			f.Option("update"), f.Option("with"))
	case dir == repo.Dist, dir == repo.Root:
		return nil, verbs.Usage("%s is where this build goes: copy the other one first, as in cp -r dist ../theirs", option)
	}
	plugins, faults := bundle.Discover(dir)
	if len(faults) > 0 {
		return nil, verbs.Usage("%s: %w", option, &faults[0])
	}
	if len(plugins) == 0 {
		return nil, verbs.Usage("%s has no plugin.json", option)
	}
	return plugins, nil
}

// printSizes prints what two builds of a frontend weigh, and which files only one has: perhaps nobody asked for them yet.
func printSizes(stdout io.Writer, ours, theirs string) {
	a, b := frontendFiles(ours), frontendFiles(theirs)
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if path.Base(name) == "module.js" {
			fmt.Fprintf(stdout, "%s: ours %d kB, theirs %d kB\n", name, a[name]/1000, b[name]/1000)
		}
	}
	for _, side := range []struct {
		name       string
		has, lacks map[string]int64
	}{{"ours", a, b}, {"theirs", b, a}} {
		var only []string
		for name := range side.has {
			if _, ok := side.lacks[name]; !ok {
				only = append(only, name)
			}
		}
		if slices.Sort(only); len(only) > 0 {
			fmt.Fprintf(stdout, "%s only in %s: %s\n", text.Plural(len(only), "file"), side.name, strings.Join(only[:min(len(only), 20)], ", "))
		}
	}
}

// frontendFiles returns the sizes of the files of a dist, without executables, maps and the manifest.
func frontendFiles(dir string) map[string]int64 {
	sizes := map[string]int64{}
	_ = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error { // of what was read before
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		name, _ := filepath.Rel(dir, file) // below dir
		_, _, isExecutable := bundle.SplitExecutable(d.Name())
		if info, err := os.Lstat(file); err == nil && !isExecutable && path.Ext(file) != ".map" && d.Name() != "MANIFEST.txt" {
			sizes[filepath.ToSlash(name)] = info.Size()
		}
		return nil
	})
	return sizes
}
