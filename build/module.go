package build

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tailscale/hujson"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/internal/limit"
	"github.com/slipway-dev/slipway/internal/process"
	"github.com/slipway-dev/slipway/internal/progress"
)

// Bundler bundles frontends. Package build/bundler does, but takes a while to compile: the Mage
// targets run it as a program, and only for plugins that need it.
type Bundler interface {
	// Bundle bundles a frontend. Without f.Download, missing packages are ErrNotDownloaded.
	Bundle(ctx context.Context, f Frontend) (*Module, error)
}

// ErrNotDownloaded reports that packages of the lockfile are neither in node_modules nor in the cache.
var ErrNotDownloaded = errors.New("the packages of the frontend have not been downloaded")

// Program is a Bundler that runs the command slipway-bundler.
type Program struct {
	// Path returns the path of the command, and builds it first if needed.
	Path func(ctx context.Context) (string, error)
}

// ExitNotDownloaded is the exit status of slipway-bundler for ErrNotDownloaded.
const ExitNotDownloaded = 3

// Bundle implements Bundler.
func (p Program) Bundle(ctx context.Context, f Frontend) (*Module, error) {
	program, err := p.Path(ctx)
	if err != nil {
		return nil, err
	}
	request, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program)
	cmd.Stdin = bytes.NewReader(request)
	out, err := process.Output(cmd)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == ExitNotDownloaded {
		err = notDownloaded{err}
	}
	if err != nil {
		return nil, err
	}
	b := &Module{}
	if err := json.Unmarshal(out, b); err != nil {
		return nil, fmt.Errorf("read the bundle: %w", err)
	}
	return b, nil
}

// notDownloaded is ErrNotDownloaded with the text of another process.
type notDownloaded struct{ error }

// Is reports whether the target is ErrNotDownloaded.
func (notDownloaded) Is(target error) bool { return target == ErrNotDownloaded }

// Frontend is a frontend to bundle.
type Frontend struct {
	Root     string `json:"root"`     // of the plugin repository, absolute
	Source   string `json:"source"`   // directory of plugin.json, absolute
	PluginID string `json:"pluginId"` // of that plugin.json
	MapDir   string `json:"mapDir"`   // Source and PluginID of the plugin that contains this one, or of this one
	MapID    string `json:"mapId"`
	Download bool   `json:"download"` // packages that are missing

	Type bundle.Type `json:"type"` // "" checks no exports and finds no extensions

	Substitutions config.Substitutions `json:"substitutions"` // of slipway.yaml

	to        string // directory relative to dist
	isPreload bool   // hosts load it when they start
}

// output is the path in dist of what the frontend becomes.
func (f Frontend) output() string { return path.Join(f.to, "module.js") }

// Module is a bundled frontend: module.js and the files beside it.
type Module struct {
	Files       map[string][]byte `json:"files"`                 // module.js and what it loads, by path
	Warnings    []string          `json:"warnings,omitempty"`    // each with its place
	Extensions  json.RawMessage   `json:"extensions,omitempty"`  // array for "generated" of the service profile
	Declared    json.RawMessage   `json:"declared,omitempty"`    // "extensions" of the grafana profile
	OnDemand    int               `json:"onDemand,omitempty"`    // bytes of module.js that only import() asks for
	Packages    int64             `json:"packages"`              // downloaded
	Bytes       int64             `json:"bytes"`                 // downloaded
	Development string            `json:"development,omitempty"` // with Frontend.Download: why dev cannot bundle it, or ""
}

func (p *Plan) bundle(ctx context.Context, f Frontend) (*Module, error) {
	f.Substitutions = p.substitutions(f.PluginID)
	bundler, err := Prepare(ctx, p.options.Bundler)
	if err != nil {
		return nil, err
	}
	name := "bundling " + filepath.ToSlash(p.relative(f.Source))
	defer progress.Task{W: p.options.Progress, IsTerminal: p.options.Live, Name: name}.Start()()
	return bundler.Bundle(ctx, f)
}

// Prepare returns a bundler that is ready: it builds the command of a Program, which shows its progress.
func Prepare(ctx context.Context, b Bundler) (Bundler, error) {
	program, ok := b.(Program)
	if !ok {
		return b, nil
	}
	file, err := program.Path(ctx)
	return Program{Path: func(context.Context) (string, error) { return file, nil }}, err
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

// entries returns the names that the entry of a frontend may have. A module.js is copied as it is unless it is an ES module.
func entries() []string { return []string{"module.ts", "module.tsx", "module.js", "module.jsx"} }

// esModule matches a statement of an ES module, but not import() and import.meta.
var esModule = regexp.MustCompile(`(?m)^\s*(import\b\s*[^\s(.]|export\b)`)

// isBundled reports whether the frontend in a directory must be bundled.
func isBundled(dir string) bool {
	for _, name := range entries() {
		text, err := limit.ReadSettings(filepath.Join(dir, name))
		if err == nil && (path.Ext(name) != ".js" || esModule.Match(text)) {
			return true
		}
	}
	return false
}

// planFrontend requires a frontend and decides whether it is bundled.
func (p *Plan) planFrontend(context.Context) error {
	switch {
	case !p.hasFrontend() || p.options.Only == OnlyBackend || p.options.Frontend.Command != "":
	case isBundled(p.Repo.Source):
		p.addFrontend(p.Repo.Source, p.Metadata, ".")
	case exists(filepath.Join(p.Repo.Source, "module.js")):
	case !p.Metadata.NeedsFrontend(len(bundle.ReposBelow(p.Repo.Source)) > 0):
		p.isGroup = true
	default:
		advice := "add one of " + strings.Join(entries(), ", ")
		for _, name := range entries() {
			if exists(filepath.Join(p.Repo.Source, "src", name)) {
				advice = "move plugin.json to src, next to " + name
			} else if other := bundle.OtherCase(filepath.Join(p.Repo.Source, name)); other != "" {
				advice = "rename " + filepath.Base(other) + " to " + name
			}
		}
		return fmt.Errorf("%s has no frontend, which a plugin of type %s needs: %s", p.relative(p.Repo.Source), p.Metadata.Type, advice)
	}
	return nil
}

// hasFrontend reports whether the plugin needs a frontend.
func (p *Plan) hasFrontend() bool {
	return p.Metadata.Type != bundle.TypeRenderer && p.Metadata.Type != bundle.TypeSecretsManager
}

// addFrontend adds a frontend to bundle, unless the repository has its own bundler.
func (p *Plan) addFrontend(source string, m *bundle.Metadata, to string) {
	if p.options.Frontend.Command != "" {
		return
	}
	p.Frontends = append(p.Frontends, Frontend{
		Root: p.Repo.Root, Source: source, PluginID: m.ID, MapDir: p.Repo.Source, MapID: p.Metadata.ID,
		Type: m.Type, to: to, isPreload: m.Preload,
	})
}

// isBundledSource reports whether a file is only for module.js. Directories that existing bundlers copy stay.
func (p *Plan) isBundledSource(rel string) bool {
	first, _, _ := strings.Cut(rel, "/")
	if len(p.Frontends) == 0 && !p.isGroup && p.options.Frontend.Command == "" || slices.Contains([]string{"img", "libs", "static"}, first) {
		return false
	}
	dir := filepath.Join(p.Repo.Source, filepath.FromSlash(path.Dir(rel)))
	if path.Base(rel) == "module.js" && exists(filepath.Join(dir, bundle.MetadataFile)) && !isBundled(dir) {
		return false // of a nested plugin that needs no bundling
	}
	return slices.Contains([]string{".js", ".mjs", ".cjs", ".css", ".scss", ".sass", ".less", ".snap"}, path.Ext(rel))
}

// bundleFrontends writes the bundles and adds what the frontends register to plugin.json.
func (p *Plan) bundleFrontends(ctx context.Context, staging string, r *Result) error {
	for _, f := range p.Frontends {
		started := time.Now()
		if p.options.Bundler == nil {
			return fmt.Errorf("bundle %s: this program has no bundler", p.relative(f.Source))
		}
		b, err := p.bundle(ctx, f)
		if err != nil {
			return fmt.Errorf("bundle %s: %w", p.relative(f.Source), err)
		}
		size := int64(0)
		for _, name := range slices.Sorted(maps.Keys(b.Files)) {
			to := path.Join(f.to, name) // which may be in the directory of another plugin
			if !filepath.IsLocal(filepath.FromSlash(to)) {
				return fmt.Errorf("bundle %s: invalid file name %q", p.relative(f.Source), name)
			}
			if err := writeFile(filepath.Join(staging, filepath.FromSlash(to)), b.Files[name]); err != nil {
				return fmt.Errorf("write %s: %w", name, err)
			}
			r.bundled = append(r.bundled, to)
			if !strings.HasSuffix(name, ".map") {
				size += int64(len(b.Files[name]))
			}
		}
		if err := p.addExtensions(f, b); err != nil {
			return err
		}
		r.Warnings = append(r.Warnings, b.Warnings...)
		if f.isPreload && b.OnDemand > 100_000 {
			r.Warnings = append(r.Warnings, fmt.Sprintf(`%s: with "preload", hosts load module.js when they start, also the %s that only import() asks for
  help: leave "preload" out, unless the app must run before it is opened`, p.relative(filepath.Join(f.Source, bundle.MetadataFile)), progress.Size(int64(b.OnDemand))))
		}
		isMissing := func(name string) bool { return !exists(filepath.Join(f.Source, name)) }
		if present := slices.DeleteFunc(entries(), isMissing); len(present) > 1 { // the first is bundled, or copied
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s also has %s, which is not used: delete it", p.relative(f.Source), strings.Join(present[1:], " and ")))
		}
		r.frontends = append(r.frontends, part{
			name: "frontend", content: f.output(), size: size, took: time.Since(started),
		})
	}
	return nil
}

// addExtensions adds what a frontend registers to its plugin.json, unless that has the key.
func (p *Plan) addExtensions(f Frontend, b *Module) error {
	for i := range p.documents {
		d := &p.documents[i]
		if path.Dir(d.to) != f.to {
			continue
		}
		doc, err := bundle.ParseDocument(d.to, d.data)
		if err != nil {
			return fmt.Errorf("edit %s: %w", d.to, err)
		}
		key, value := "generated", any(map[string]any{"extensions": b.Extensions})
		empty := b.Extensions == nil
		if profile, ok := bundle.DetectProfile(doc); ok && profile.HasExtensions {
			key, value, empty = "extensions", b.Declared, b.Declared == nil
		}
		if empty || doc.Has("/"+key) {
			continue
		}
		if d.data, err = withMember(d.data, key, value); err != nil {
			return fmt.Errorf("edit %s: %w", d.to, err)
		}
	}
	return nil
}

// withMember adds a member at the end of an object.
func withMember(data []byte, key string, value any) ([]byte, error) {
	root, err := hujson.Parse(data)
	if err != nil {
		return nil, err
	}
	object, ok := root.Value.(*hujson.Object)
	if !ok {
		return nil, errors.New("not an object")
	}
	err = setMember(object, key, value)
	return root.Pack(), err
}
