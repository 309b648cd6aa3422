package rules

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func versionSemver(p *validate.Pass) {
	const pointer = "/info/version"
	version, _ := p.Doc.Text(pointer)
	if strings.Contains(version, bundle.PlaceholderVersion) && !p.IsNested {
		checkVersionOfPackage(p)
	}
	version = inspect.Resolved(p, version)
	if placeholder, _ := bundle.FindPlaceholder(version); version == "" || placeholder != "" {
		return // required-field and unresolved-placeholder report it
	}
	if _, err := semver.StrictNewVersion(version); err == nil {
		return
	}
	written, _ := p.Doc.Text(pointer)
	f := validate.Finding{Severity: violation.in(p), Place: p.Value(pointer), Message: fmt.Sprintf("%q is not a semantic version", written)}
	bare := strings.TrimLeft(strings.TrimSpace(written), "vV=")
	if _, err := semver.StrictNewVersion(inspect.Resolved(p, bare)); err == nil {
		f.Help = fmt.Sprintf("write %q", bare)
		f.Fix = writeText(p, pointer, bare)
	}
	p.Report(f)
}

// checkVersionOfPackage checks the version that a build writes for %VERSION%.
func checkVersionOfPackage(p *validate.Pass) {
	r, ok := inspect.RepositoryOf(p)
	if !ok || p.Where != validate.Source {
		return
	}
	doc := inspect.PackageJSON.Of(p)
	if doc == nil {
		data, err := r.Read("package.json", inspect.MaxPackageJSON)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		f := validate.Finding{Severity: unbuildableVersion.in(p), Place: r.Place(p, "package.json"), Help: "restore package.json"}
		if _, err = bundle.ParseDocument("package.json", data); err != nil {
			if all, ok := errors.AsType[bundle.SyntaxErrors](err); ok {
				last := all[len(all)-1] // of those before it, a reader makes sense
				err, f.Help = errors.New(last.Problem), last.Help
				f.Place = inspect.PlaceIn(p, f.File, data, last.Pos.Offset, last.End.Offset)
			}
			f.Message = fmt.Sprintf("plugin.json takes its version from package.json, which is not valid JSON: %v", err)
			p.Report(f)
		}
		return
	}
	version, isText := doc.Text("/version")
	_, err := semver.StrictNewVersion(version)
	if !doc.Has("/version") || isText && (version == "" || err == nil) {
		return // without one, a build uses the tag of the commit
	}
	unbuildableVersion.reportf(p, r.ValuePlace(p, doc, "/version"),
		"the version %q in package.json, which a build writes for %s, is not a semantic version", version, bundle.PlaceholderVersion)
}
