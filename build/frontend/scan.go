package frontend

import (
	"context"
	"strconv"

	"github.com/evanw/esbuild/pkg/api"
)

// Scan finds, through o.Packages, all packages that frontends of a repository import, for release as well as for
// development. It makes no bundles, and reads what frontends share once. Except for their names and sources, the options of
// all are those of the first. If the sources have errors, the error is an *Error.
func Scan(ctx context.Context, frontends []Options) error {
	o := frontends[0]
	s := NewSession(o)
	if err := s.configure(ctx); err != nil {
		return err
	}
	var entries []api.EntryPoint
	for i, f := range frontends {
		entries = append(entries, api.EntryPoint{InputPath: Entry(f.Source), OutputPath: "module" + strconv.Itoa(i)})
	}
	b := newBundler(ctx, o, s.config)
	b.isAsync, b.scanned = true, frontends // which reads the same files, whether or not the code awaits
	for found := b.styles(); len(entries) > 0; found = nil {
		b.themes = found
		settings := b.settings(entries...)
		settings.MinifyWhitespace, settings.MinifyIdentifiers, settings.MinifySyntax = false, false, false
		settings.Sourcemap, settings.LegalComments = api.SourceMapNone, api.LegalCommentsNone
		if b.replaced.define[nodeEnv] == "" {
			delete(settings.Define, nodeEnv) // the code for either value counts
		}
		built := api.Build(settings)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if len(built.Errors) > 0 {
			list, isConfig := causes(built.Errors)
			return &Error{Messages(o.Root, list), isConfig}
		}
		entries = nil
		for i, t := range b.themes {
			entries = append(entries, api.EntryPoint{InputPath: t.file, OutputPath: themePrefix + strconv.Itoa(i)})
		}
	}
	return nil
}

const nodeEnv = "process.env.NODE_ENV"
