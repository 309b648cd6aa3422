package frontend

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Session bundles a frontend again and again. A bundle reuses what it can of the one
// before. A Session must not be used concurrently.
type Session struct {
	options Options
	made    api.BuildOptions // that context was made with
	b       *bundler
	context api.BuildContext // nil before the first bundle
}

// NewSession returns a session for a frontend. The caller must close it.
func NewSession(o Options) *Session { return &Session{options: o} }

// Close releases what the session keeps for the next bundle.
func (s *Session) Close() {
	if s.context != nil {
		s.context.Dispose()
		s.context = nil
	}
}

// Bundle bundles the frontend as it is now. If the sources have errors, the error is an
// *Error.
func (s *Session) Bundle(ctx context.Context) (*Result, error) {
	entry := Entry(s.options.Source)
	if entry == "" {
		return nil, fmt.Errorf("no frontend in %s: expected one of %s", s.options.Source, strings.Join(entries(), ", "))
	}
	built, err := s.rebuild(ctx, entry, s.b != nil && s.b.isAsync)
	if err == nil && slices.ContainsFunc(built.Errors, func(m api.Message) bool { return strings.HasPrefix(m.Text, "Top-level await") }) {
		built, err = s.rebuild(ctx, entry, true) // hosts wait for a module that is a promise
	}
	if err != nil {
		return nil, err
	}
	if len(built.Errors) > 0 {
		return nil, &Error{Messages(built.Errors)}
	}
	return s.b.result(built)
}

// rebuild runs esbuild, and makes a new context if the settings have changed.
func (s *Session) rebuild(ctx context.Context, entry string, isAsync bool) (api.BuildResult, error) {
	libraries := sharedBy(s.options.Root)
	if s.context != nil && (s.made.EntryPoints[0] != entry || s.made.Tsconfig != Tsconfig(s.options.Root) || s.b.isAsync != isAsync) {
		s.Close()
	}
	if s.context == nil {
		s.b = newBundler(ctx, s.options, libraries)
		s.b.isAsync = isAsync
		s.made = s.b.settings(entry)
		made, err := api.Context(s.made)
		if err != nil {
			return api.BuildResult{Errors: err.Errors}, nil
		}
		s.context = made
	}
	// The plugin of the context reads these, so they may change between two bundles.
	s.b.ctx, s.b.libraries, s.b.asked, s.b.assets = ctx, libraries, map[string]bool{}, map[string][]byte{}
	defer context.AfterFunc(ctx, s.context.Cancel)()
	built := s.context.Rebuild()
	return built, ctx.Err()
}
