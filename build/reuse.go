package build

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tailscale/hujson"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/version"
)

// clockStep is more than the difference between the clocks of files and processes.
const clockStep = 10 * time.Millisecond

// bundle returns the module of a frontend: the one in dist if nothing that it was made of
// has changed. It notes in the result what the module was made of.
func (p *Plan) bundle(ctx context.Context, f Frontend, r *Result) (*Module, error) {
	f.Substitutions = p.substitutions(f.PluginID)
	if before := r.previous.Steps[f.output()]; before.Module != nil && !p.options.Dev {
		in, err := p.bundleInputs(f, before.Module.Inputs)
		if err == nil && p.isCurrent(r.previous, f.output(), in) {
			if b, err := p.readModule(f, before); err == nil {
				return b, nil
			}
		}
	}
	bundler, err := Prepare(ctx, p.options.Bundler)
	if err != nil {
		return nil, err
	}
	name := "bundling " + filepath.ToSlash(p.relative(f.Source))
	stop := progress.Task{W: p.options.Progress, IsTerminal: p.options.Live, Name: name}.Start()
	started := time.Now().Add(-clockStep)
	b, err := bundler.Bundle(ctx, f)
	stop()
	if err != nil {
		return nil, err
	}
	in, err := p.bundleInputs(f, b.Inputs)
	if err != nil || p.options.Dev || len(b.Inputs) == 0 || p.isEdited(b.Inputs, started) {
		return b, nil // bundle it again the next time
	}
	notes := *b
	notes.Files = nil
	var files []string
	for name := range b.Files {
		files = append(files, path.Join(f.to, name))
	}
	r.made.add(f.output(), in, &notes, files...)
	return b, nil
}

// substitutions returns those of slipway.yaml, with the placeholders of a plugin replaced.
func (p *Plan) substitutions(id string) config.Substitutions {
	s := p.options.Frontend.Substitutions
	s.Define = maps.Clone(s.Define)
	for name, literal := range s.Define {
		s.Define[name] = p.placeholders(id).Replace(literal)
	}
	return s
}

// Prepare returns a bundler that is ready. It builds the command of a Program, which shows
// its own progress.
func Prepare(ctx context.Context, b Bundler) (Bundler, error) {
	program, ok := b.(Program)
	if !ok {
		return b, nil
	}
	file, err := program.Path(ctx)
	return Program{Path: func(context.Context) (string, error) { return file, nil }}, err
}

// readModule reads a recorded bundle from dist.
func (p *Plan) readModule(f Frontend, before made) (*Module, error) {
	b := *before.Module
	b.Files, b.isUpToDate = map[string][]byte{}, true
	for name := range before.Files {
		data, err := os.ReadFile(p.inDist(name))
		if err != nil {
			return nil, err
		}
		rel, err := filepath.Rel(filepath.FromSlash(f.to), filepath.FromSlash(name))
		if err != nil {
			return nil, err
		}
		b.Files[filepath.ToSlash(rel)] = data
	}
	return &b, nil
}

// bundleInputs returns a digest of what a bundle depends on: the files that the bundler read, the
// names of the files that it could resolve an import to, configuration, and the bundler
// itself.
func (p *Plan) bundleInputs(f Frontend, read []string) (string, error) {
	in := newInputs()
	in.add("the frontend's plugin.json", fmt.Appendf(nil, "%s %s", f.PluginID, f.Type))
	in.add("the substitutions of slipway.yaml", fmt.Append(nil, f.Substitutions))
	if err := p.addBundler(in); err != nil {
		return "", err
	}
	for _, name := range read {
		_ = in.addFile(name, p.absolute(name)) // a missing file is a change
	}
	for _, file := range p.bundleConfig() {
		if err := in.addFile(filepath.ToSlash(p.relative(file)), file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	names, err := p.importable()
	in.add("the list of source files", []byte(strings.Join(names, "\n")))
	return in.digest(), err
}

// absolute returns the path of a file that a bundler read.
func (p *Plan) absolute(name string) string {
	if name = filepath.FromSlash(name); filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.Repo.Root, name)
}

// isEdited reports whether a file was written since.
func (p *Plan) isEdited(files []string, since time.Time) bool {
	return slices.ContainsFunc(files, func(name string) bool {
		info, err := os.Stat(p.absolute(name))
		return err != nil || info.ModTime().After(since)
	})
}

// addBundler adds the version of Slipway, or the sources of a checkout of it.
func (p *Plan) addBundler(in inputs) error {
	from, err := version.Find()
	if err != nil {
		return err
	}
	in.add("the version of Slipway", []byte(from.Version))
	if from.Checkout == "" {
		return nil
	}
	_ = in.addFile("go.sum of Slipway", filepath.Join(from.Checkout, "go.sum"))
	checkout := os.DirFS(from.Checkout)
	return fs.WalkDir(checkout, "build", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata/") {
			return err
		}
		return in.addFile("Slipway's "+name, filepath.Join(from.Checkout, filepath.FromSlash(name)))
	})
}

// bundleConfig returns the files that change how imports are resolved and compiled,
// whether they exist or not: lockfiles and the configuration of package managers, up to the root of the
// git repository, what package managers write about a node_modules, tsconfig.json with what it
// extends, and the configuration of webpack or rspack, whose imports are among the files that were read.
func (p *Plan) bundleConfig() []string {
	var files []string
	for dir := p.Repo.Root; ; dir = filepath.Dir(dir) {
		for _, name := range append(Lockfiles(), "package.json", ".npmrc", ".yarnrc", ".yarnrc.yml", "pnpm-workspace.yaml",
			"node_modules/.package-lock.json", "node_modules/.yarn-integrity", "node_modules/.yarn-state.yml", "node_modules/.modules.yaml") {
			files = append(files, filepath.Join(dir, filepath.FromSlash(name)))
		}
		if exists(filepath.Join(dir, ".git")) || dir == filepath.Dir(dir) {
			break
		}
	}
	bundlers, _ := filepath.Glob(filepath.Join(p.Repo.Root, "*pack.config.*")) // the pattern is valid
	files = append(append(files, bundlers...), filepath.Join(p.Repo.Root, ".config", "tsconfig.json"),
		filepath.Join(p.Repo.Root, ".swcrc"), filepath.Join(p.Repo.Root, ".babelrc"))
	return append(files, tsconfigs(filepath.Join(p.Repo.Root, "tsconfig.json"))...)
}

// Lockfiles returns the names of the lockfiles of npm, Yarn and pnpm.
func Lockfiles() []string {
	return []string{"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml"}
}

// tsconfigs returns a tsconfig.json and the files of the repository that it extends.
// Packages that it extends are in the lockfile.
func tsconfigs(file string) []string {
	const maxDepth = 20 // files may extend each other
	files := []string{file}
	for i := 0; i < len(files) && i < maxDepth; i++ {
		text, err := os.ReadFile(files[i])
		if err != nil {
			continue
		}
		plain, err := hujson.Standardize(text)
		if err != nil {
			continue
		}
		var config struct{ Extends any }
		if json.Unmarshal(plain, &config) != nil {
			continue
		}
		list, isList := config.Extends.([]any)
		if !isList {
			list = []any{config.Extends}
		}
		for _, extended := range list {
			if name, ok := extended.(string); ok && strings.HasPrefix(name, ".") {
				name = filepath.Join(filepath.Dir(files[i]), filepath.FromSlash(name))
				if filepath.Ext(name) != ".json" {
					name += ".json"
				}
				files = append(files, name)
			}
		}
	}
	return files
}

// importable lists the files in the repository that an import may be resolved to, or that may be the configuration of a
// bundler. A new one can take precedence over a file that was read.
func (p *Plan) importable() (names []string, err error) {
	err = fs.WalkDir(os.DirFS(p.Repo.Root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			isHidden := strings.HasPrefix(d.Name(), ".") && d.Name() != ".config"
			if name != "." && (isHidden || name == bundle.DistDir || d.Name() == "node_modules") {
				return fs.SkipDir
			}
			return nil
		}
		if IsImportable(name) {
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// IsImportable reports whether an import in a script or a style sheet may refer to a file with
// that name.
func IsImportable(name string) bool {
	return slices.Contains([]string{".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".css", ".scss", ".sass", ".less"}, path.Ext(name))
}
