package rules

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle/archive"
	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

// goManifestFile lists the Go files of a plugin with their SHA-256 sums.
const goManifestFile = "go_plugin_build_manifest"

func goManifest(p *validate.Pass) {
	if !p.Doc.Bool("/backend") || goFilesListed.isOff(p) {
		return
	}
	r, hasSource := inspect.RepositoryOf(p)
	fsys, dir := p.FS, p.Dir
	if p.Where == validate.Source {
		if goFilesAround.isOff(p) {
			return
		}
		ok := false
		if fsys, dir, ok = r.Built(p); !ok {
			p.Skipf("there is no dist to compare with the source")
			return
		}
	}
	at := validate.Place{File: path.Join(dir, goManifestFile)}
	data, err := fs.ReadFile(fsys, at.File)
	if err != nil {
		if p.Where != validate.Source && (!hasSource || len(goFiles(r)) > 0) {
			p.Reportf(p.Opening("/backend"), "the plugin has a backend, but no %s", goManifestFile)
		}
		return // of a dist, it is reported there
	}
	listed, err := parseGoManifest(data)
	if err != nil {
		p.Reportf(at, "%v", err)
		return
	}
	if !hasSource || goFilesAround.isOff(p) && p.Repository == nil {
		return
	}
	if differ := compareGoFiles(r, listed); differ != "" {
		goFilesDiffer.reportf(p, at, "the list does not match the Go files of the repository: %s", differ)
	}
}

// parseGoManifest parses lines of the form SUM:PATH.
func parseGoManifest(data []byte) (sums map[string]string, err error) {
	sums = map[string]string{}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		sum, name, ok := strings.Cut(line, ":")
		switch {
		case line == "":
		case !ok || strings.Contains(name, ":"):
			return nil, fmt.Errorf("%.80q is not a line of the form <sum>:<path>", line)
		default:
			sums[strings.ReplaceAll(strings.TrimSpace(name), `\`, "/")] = strings.TrimSpace(sum)
		}
	}
	return sums, nil
}

// goFiles returns the Go files of a repository, except those of packages from npm.
func goFiles(r inspect.Repository) (files []string) {
	_ = fs.WalkDir(r.FS, r.Dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // it is not compared
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git"):
			return fs.SkipDir
		case d.Type().IsRegular() && path.Ext(name) == ".go":
			files = append(files, tree.Below(r.Dir, name))
		}
		return nil
	})
	return files
}

// compareGoFiles says which files differ: in their text, apart from line endings, or because only the list or only the
// repository has them.
func compareGoFiles(r inspect.Repository, listed map[string]string) string {
	const changed, missing, extra = "changed since the build", "not in the list", "not in the repository"
	differ := map[string][]string{}
	for _, name := range goFiles(r) {
		const maxBytes = 16 << 20
		data, err := r.Read(name, maxBytes)
		if sum, ok := listed[name]; !ok {
			differ[missing] = append(differ[missing], name)
		} else if err != nil || !archive.HasSum(data, sum) {
			differ[changed] = append(differ[changed], name)
		}
	}
	for name := range listed {
		_, err := fs.Stat(r.FS, path.Join(r.Dir, name))
		if err != nil && !strings.HasPrefix(name, "node_modules/") {
			differ[extra] = append(differ[extra], name)
		}
	}
	var kinds []string
	for _, kind := range []string{changed, missing, extra} {
		if names := differ[kind]; names != nil {
			slices.Sort(names)
			kinds = append(kinds, kind+": "+someOf(names))
		}
	}
	return strings.Join(kinds, "; ")
}
