package inspect

import (
	"path"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/validate"
)

// home returns the directory of the plugin repository, or that of a plugin which is not in src.
func home(p *validate.Pass) string {
	if path.Base(p.Root) == "src" {
		return path.Dir(p.Root)
	}
	return p.Root
}

// HasLicenseAbove reports whether a directory above the plugin repository has a license, as in a
// repository of several plugins. It looks no further than the top of the Git repository.
func HasLicenseAbove(p *validate.Pass) bool {
	if p.Where != validate.Source {
		return false
	}
	for dir := home(p); dir != "." && !Exists(p, path.Join(dir, ".git")); {
		dir = path.Dir(dir)
		for _, name := range bundle.LicenseNames() {
			if Exists(p, path.Join(dir, name)) {
				return true
			}
		}
	}
	return false
}

// MayBeBuilt reports whether a build may create a file that the source of a plugin lacks: the repository has a
// build of its own, or the file is next to src. What an earlier build left in dist says nothing about the next.
func MayBeBuilt(p *validate.Pass, file string) bool {
	at := home(p)
	return p.Where == validate.Source &&
		(at != p.Root && Exists(p, path.Join(at, tree.Below(p.Root, file))) || HasBuild.Of(p))
}

// Resolved returns a text of plugin.json as a build writes it, with its placeholders replaced.
func Resolved(p *validate.Pass, text string) string {
	if name, _ := bundle.FindPlaceholder(text); name == "" || p.Where != validate.Source {
		return text
	}
	id, _ := p.Doc.Text("/id")
	of := strings.NewReplacer(bundle.PlaceholderID, id, bundle.PlaceholderVersion, "1.0.0", bundle.PlaceholderToday, "2026-01-31")
	return of.Replace(text)
}

// HasBuild holds whether the repository has a build other than Slipway's, which may create or
// copy files.
var HasBuild = validate.NewFact(func(p *validate.Pass) bool {
	at := home(p)
	for _, name := range []string{"Makefile", "Gruntfile.js", "webpack.config.js", "webpack.config.ts"} {
		if Exists(p, path.Join(at, name)) {
			return true
		}
	}
	pkg := PackageJSON.Of(p)
	return pkg != nil && pkg.Has("/scripts/build")
})
