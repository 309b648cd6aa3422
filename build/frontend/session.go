package frontend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/slipway-dev/slipway/build/bundlerconfig"
	"github.com/slipway-dev/slipway/internal/limit"
)

// Session bundles a frontend again and again, and reuses what it can. It must not be used concurrently.
type Session struct {
	options Options
	native  map[string]string // the node_modules of packages that esbuild resolves itself, by name
	traits  traits            // of the code in the last bundle
	themes  []theme           // that it loads
	made    api.BuildOptions  // that context was made with
	config  *bundlerconfig.Config
	b       *bundler
	context api.BuildContext // nil before the first bundle
}

// NewSession returns a session for a frontend. The caller must close it.
func NewSession(o Options) *Session { return &Session{options: o} }

// Close releases what the session keeps for the next bundle.
func (s *Session) Close() {
	s.native = nil
	s.dispose()
}

func (s *Session) dispose() {
	if s.context != nil {
		s.context.Dispose()
		s.context = nil
	}
}

// Bundle bundles the frontend as it is now. Errors in the sources are an *Error.
func (s *Session) Bundle(ctx context.Context) (*Result, error) {
	entry := Entry(s.options.Source)
	if entry == "" {
		return nil, fmt.Errorf("no frontend in %s: expected one of %s", s.options.Source, strings.Join(entries(), ", "))
	}
	if err := s.configure(ctx); err != nil {
		return nil, err
	}
	built, err := s.rebuild(ctx, entry, s.b != nil && s.b.isAsync)
	if err == nil && awaits(built.Errors) {
		built, err = s.rebuild(ctx, entry, true) // hosts wait for a module that is a promise
	}
	// If the code no longer asks for themes, an error in one of them does not matter.
	isUnthemed := slices.ContainsFunc(s.themes, func(t theme) bool { return !slices.Contains(s.b.themes, t) })
	if err == nil && (len(built.Errors) == 0 || isUnthemed) && s.learn() {
		built, err = s.rebuild(ctx, entry, s.b.isAsync)
	}
	if err != nil {
		return nil, err
	}
	if len(built.Errors) > 0 {
		list, isConfig := causes(built.Errors)
		return nil, &Error{Messages(s.options.Root, list), isConfig}
	}
	return s.b.result(built)
}

// configure evaluates the configuration of the repository's bundler, if it has changed.
func (s *Session) configure(ctx context.Context) error {
	if s.config != nil && s.config.IsCurrent() {
		return nil
	}
	c, err := bundlerconfig.Evaluate(ctx, s.options.Root, Confine(s.options.Root).Check)
	if failed, ok := errors.AsType[*bundlerconfig.Error](err); ok {
		return &Error{Messages: []Message{failed.Message}}
	}
	if err == nil {
		s.config = c
	}
	return err
}

// awaits reports whether the code awaits at its top level, which the format that was tried has no way to write.
func awaits(list []api.Message) bool {
	return slices.ContainsFunc(list, func(m api.Message) bool { return strings.HasPrefix(m.Text, "Top-level await") })
}

// causes returns the errors without those that follow from others: without its tsconfig.json, the
// imports of a repository mean something else, and after a tag that is not closed, so does the code.
// esbuild reports a tsconfig.json for each import; isConfig reports that the errors are about such a file.
func causes(list []api.Message) (found []api.Message, isConfig bool) {
	var config []api.Message
	for _, m := range list {
		if l := m.Location; l != nil && strings.HasPrefix(filepath.Base(l.File), "tsconfig") && filepath.Ext(l.File) == ".json" {
			m.Notes = []api.Note{{Text: "correct the file: it is JSON, which may have comments and commas at the end of lists"}}
			config = append(config, m)
		}
	}
	if config != nil {
		return slices.CompactFunc(config, func(a, b api.Message) bool { return a.Text == b.Text && *a.Location == *b.Location }), true
	}
	unclosed := map[string]bool{} // files
	for _, m := range list {
		if m.Location != nil && unclosed[m.Location.File] {
			continue
		}
		if strings.Contains(m.Text, "does not match opening") && m.Location != nil && len(m.Notes) > 0 && m.Notes[0].Location != nil {
			unclosed[m.Location.File] = true
			at := m.Notes[0].Location
			m.Notes = []api.Note{{Text: fmt.Sprintf("close the opening tag at %s:%d:%d, or remove it", filepath.ToSlash(at.File), at.Line, at.Column+1)}}
		}
		found = append(found, m)
	}
	return found, false
}

// rebuild runs esbuild, and makes a new context if the settings have changed.
func (s *Session) rebuild(ctx context.Context, entry string, isAsync bool) (api.BuildResult, error) {
	entries := []api.EntryPoint{{InputPath: entry, OutputPath: "module"}}
	for i, t := range s.themes {
		entries = append(entries, api.EntryPoint{InputPath: t.file, OutputPath: themePrefix + strconv.Itoa(i)})
	}
	if s.context != nil && (s.config != s.b.config || !slices.Equal(s.made.EntryPointsAdvanced, entries) || s.made.TsconfigRaw != tsconfigRaw(s.options.Root, compilerOptions(s.options.Root, s.config)) || s.b.isAsync != isAsync || !maps.Equal(s.b.native, s.native) || s.b.traits != s.traits) {
		s.dispose()
	}
	if s.context == nil {
		s.b = newBundler(ctx, s.options, s.config)
		s.b.isAsync, s.b.native, s.b.traits, s.b.themed = isAsync, maps.Clone(s.native), s.traits, s.themes
		s.made = s.b.settings(entries...)
		made, err := api.Context(s.made)
		if err != nil {
			return api.BuildResult{Errors: err.Errors}, nil
		}
		s.context = made
	}
	// The plugin of the context reads these, so they may change between two bundles.
	s.b.ctx, s.b.asked, s.b.assets, s.b.read = ctx, map[string]bool{}, map[string][]byte{}, nil
	s.b.texts, s.b.licenses = map[string]string{}, map[string][]byte{}
	s.b.seen, s.b.themes = traits{}, s.b.styles()
	defer context.AfterFunc(ctx, s.context.Cancel)()
	built := s.context.Rebuild()
	return built, ctx.Err()
}

// learn reports whether a bundle has shown that other settings are needed.
func (s *Session) learn() bool {
	s.traits = s.b.seen
	s.traits.isInjected = s.traits.isInjected && !s.options.Dev // which does not shorten names
	slices.SortFunc(s.b.themes, func(x, y theme) int { return strings.Compare(x.output, y.output) })
	s.themes = slices.Compact(s.b.themes)
	return s.addNative() || s.traits != s.b.traits || !slices.Equal(s.themes, s.b.themed)
}

// addNative adds the packages whose package.json says that they are ES modules, and reports whether there are new ones. If a plugin
// resolved them, esbuild would read the default export of CommonJS modules differently. Packages in two versions are left out.
func (s *Session) addNative() bool {
	native := maps.Clone(s.native)
	if native == nil {
		native = map[string]string{}
	}
	for name, dirs := range s.b.packages {
		for dir, isModule := range dirs {
			if isModule && len(dirs) == 1 {
				native[name] = dir
			}
		}
	}
	hasMore := len(native) > len(s.native)
	s.native = native
	return hasMore
}

// isModule reports whether a file is an ES module because of the package.json above it.
func isModule(file string) bool {
	if filepath.Ext(file) != ".js" {
		return false
	}
	for dir := filepath.Dir(file); filepath.Base(dir) != "node_modules" && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if text, err := limit.ReadSettings(filepath.Join(dir, "package.json")); err == nil {
			var about struct{ Type string }
			return json.Unmarshal(text, &about) == nil && about.Type == "module"
		}
	}
	return false
}
