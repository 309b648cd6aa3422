package inspect

import (
	"bytes"
	"io/fs"
	"path"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/internal/limit"
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

// Repository is the plugin repository of a plugin.
type Repository struct {
	FS  fs.FS
	Dir string // in FS

	isOther bool // it is not part of the tree that is validated
}

// RepositoryOf returns the repository of a plugin: that around its source, or the one that a built plugin is
// compared with. ok is false if there is none.
func RepositoryOf(p *validate.Pass) (r Repository, ok bool) {
	switch {
	case p.Where == validate.Source:
		_, isComplete := Homes(p)
		return Repository{FS: p.FS, Dir: home(p)}, isComplete
	case p.Repository != nil:
		return Repository{FS: p.Repository, Dir: ".", isOther: true}, true
	}
	return Repository{}, false
}

// Read reads a file of the repository, or, if the name leads out of it, of the Git repository around it, which has the
// other packages of a workspace. The error is tree.ErrOutside for a file further outside.
func (r Repository) Read(name string, maxBytes int64) ([]byte, error) {
	open := r.FS.Open
	if around, ok := r.FS.(interface {
		OpenAround(name string) (fs.File, error)
	}); ok {
		open = around.OpenAround
	}
	f, err := open(path.Join(r.Dir, name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return limit.ReadAll(f, maxBytes)
}

// Place returns the position of a file of the repository, or that of plugin.json if the report is about
// another tree.
func (r Repository) Place(p *validate.Pass, name string) validate.Place {
	if r.isOther {
		return p.Whole()
	}
	return validate.Place{File: path.Join(r.Dir, name)}
}

// ValuePlace returns the position of a value in a JSON file of the repository.
func (r Repository) ValuePlace(p *validate.Pass, doc *bundle.Document, pointer string) validate.Place {
	if r.isOther {
		return p.Whole()
	}
	p.Source(doc.File, doc.Data)
	return ValueIn(p, doc, pointer)
}

// MaxPackageJSON is the size beyond which package.json is not read.
const MaxPackageJSON = 1 << 20

// PackageJSON holds the package.json of the repository, which may have comments. It is nil if there is none, or if it
// cannot be parsed.
var PackageJSON = validate.NewFact(func(p *validate.Pass) *bundle.Document {
	const name = "package.json"
	r, ok := RepositoryOf(p)
	if !ok {
		return nil
	}
	data, err := r.Read(name, MaxPackageJSON)
	if err != nil {
		return nil
	}
	standard, err := hujson.Standardize(bytes.TrimPrefix(data, []byte(BOM)))
	if err != nil {
		return nil
	}
	doc, err := bundle.ParseDocument(path.Join(r.Dir, name), standard)
	if err != nil {
		return nil
	}
	return doc
})

// Built returns the tree and the directory of the plugin that was built from the repository: the dist of a
// source, or the plugin itself. ok is false if there is none.
func (r Repository) Built(p *validate.Pass) (fsys fs.FS, dir string, ok bool) {
	if r.isOther {
		return p.FS, p.Dir, true
	}
	dir = path.Join(r.Dir, bundle.DistDir)
	return p.FS, dir, Exists(p, path.Join(dir, bundle.MetadataFile))
}
