package frontend

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/slipway-dev/slipway/internal/limit"
)

// replaced marks a resolution of what an import has been replaced by.
type replaced struct{}

// replaceRequest applies the configuration's plugins that replace or ignore imports. It returns nil for others.
func (b *bundler) replaceRequest(build api.PluginBuild, in api.OnResolveArgs) (*api.OnResolveResult, error) {
	to, err := b.config.Replace(b.ctx, in.Path, in.ResolveDir, in.Importer)
	if err != nil {
		return nil, err
	}
	if to == "" {
		return &api.OnResolveResult{Path: in.Path, Namespace: ignoreNamespace}, nil
	}
	found := build.Resolve(to, api.ResolveOptions{
		Importer: in.Importer, Namespace: in.Namespace, ResolveDir: in.ResolveDir, Kind: in.Kind, PluginData: replaced{},
	})
	before := found.Path
	if len(found.Errors) == 0 && found.Namespace == "file" && !found.External {
		if found.Path, err = b.config.Resource(b.ctx, before, to, in.ResolveDir); err != nil {
			return nil, err
		}
	}
	if to == in.Path && before == found.Path {
		return nil, nil
	}
	out := resolution(found)
	return &out, nil
}

// resolveAsset resolves an import of a file that is not code: as slipway.yaml says, as the rules of the configuration do, or
// as usual. It returns nil for other files.
func (b *bundler) resolveAsset(build api.PluginBuild, in api.OnResolveArgs, name string) (*api.OnResolveResult, error) {
	file, query, _ := strings.Cut(name, "?")
	extension := strings.ToLower(filepath.Ext(file))
	kind := b.Substitutions.Loader[extension]
	isAsset := slices.Contains(assetExtensions(), extension)
	if kind == "" && !isAsset && (!b.config.HasRules || !b.config.HasOther && (extension == "" || isOwn(extension))) {
		return nil, nil
	}
	found := b.findAsset(build, in, file, urlSuffix)
	if len(found.Errors) > 0 && !isAsset && kind == "" {
		return nil, nil // it is reported as usual
	}
	if len(found.Errors) == 0 && kind == "" {
		if query != "" {
			query = "?" + query
		}
		var err error
		if kind, err = b.config.Loader(b.ctx, found.Path, query, in.Importer); err != nil {
			return nil, err
		}
	}
	if kind == "" && isAsset {
		kind = "file"
	}
	suffix := map[string]string{"file": urlSuffix, "text": rawSuffix, "dataurl": inlineSuffix, "json": jsonSuffix}[kind]
	if limit, ok := strings.CutPrefix(kind, "inline "); ok {
		most, _ := strconv.ParseInt(limit, 10, 64) // it is a number
		suffix = urlSuffix
		if info, err := os.Stat(found.Path); err == nil && (most < 0 || info.Size() <= most) {
			suffix = inlineSuffix
		}
	}
	if loader, ok := strings.CutPrefix(kind, "! "); ok {
		return &api.OnResolveResult{Errors: []api.Message{{
			Text:   fmt.Sprintf("the configuration of the bundler loads %s files with %s, which builds do not run", cmp.Or(extension, filepath.Base(found.Path)), loader),
			Notes:  []api.Note{{Text: fmt.Sprintf(`choose below "frontend" in slipway.yaml, as in loader: {%q: text}, how such files are loaded, or %s`, extension, ownBundler)}},
			Detail: missing{module: loader}, // said once
		}}}, nil
	}
	switch {
	case kind == "empty":
		return &api.OnResolveResult{Path: name, Namespace: emptyNamespace}, nil
	case suffix == "":
		return nil, nil // esbuild has the loaders of slipway.yaml
	}
	out := b.suffixed(found, suffix)
	return &out, nil
}

// isOwn reports whether files with an extension are code, style sheets or JSON.
func isOwn(extension string) bool {
	return slices.Contains([]string{".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".css", ".scss", ".sass", ".less", ".json"}, extension)
}

// toRoot returns the path from the directory of this plugin in dist to dist, and whether what belongs to the whole
// repository is added to this frontend: that of the plugin itself, if it has one.
func (b *bundler) toRoot() (up string, ok bool) {
	rel, err := filepath.Rel(b.Source, b.MapDir)
	if b.MapDir == "" || err != nil {
		return "", true
	}
	return filepath.ToSlash(rel), rel == "." || Entry(b.MapDir) == ""
}

// styles returns the style sheets that the configuration makes files of their own.
func (b *bundler) styles() (list []theme) {
	up, ok := b.toRoot()
	if !ok {
		return nil
	}
	for _, s := range b.config.Styles {
		list = append(list, theme{filepath.FromSlash(s.File), path.Join(up, s.Output)})
	}
	return list
}

// addCopies adds the files that the configuration copies, but not those that a build copies from the sources anyway.
func (b *bundler) addCopies() error {
	up, ok := b.toRoot()
	if !ok {
		return nil
	}
	for _, c := range b.config.Copies {
		files, err := c.Files(b.located)
		if err != nil {
			return err
		}
		for _, to := range slices.Sorted(maps.Keys(files)) {
			rel, err := filepath.Rel(filepath.Join(b.Source, filepath.FromSlash(up)), files[to])
			if err == nil && filepath.ToSlash(rel) == to && (!isOwn(filepath.Ext(to)) || filepath.Ext(to) == ".json") {
				continue
			}
			if err := b.confinement.Check(files[to]); err != nil {
				return err
			}
			text, err := limit.ReadFile(files[to], maxAsset)
			if err != nil {
				return err
			}
			b.assets[path.Join(up, to)] = text
			b.read = append(b.read, filepath.ToSlash(b.relative(files[to])))
		}
	}
	return nil
}
