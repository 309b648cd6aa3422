package dev

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/build/bundler"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/cmd/internal/serve"
	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/host/server"
	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/internal/text"
	"github.com/slipway-dev/slipway/preview"
	"github.com/slipway-dev/slipway/preview/check"
)

// Check builds the plugin for release and opens each view of its preview in a browser.
func Check(ctx context.Context, c verbs.Call, o *verbs.PreviewOptions) (err error) {
	repo, err := bundle.OpenRepo(cmp.Or(o.Dir, "."))
	if err != nil {
		return &verbs.ExitError{Code: verbs.ExitUsage, Err: err}
	}
	out := cmp.Or(o.Report, filepath.Join(repo.Root, ".slipway", "preview-report"))
	if err := check.CheckOut(out); err != nil {
		return &verbs.ExitError{Code: verbs.ExitUsage, Err: fmt.Errorf("%s: %w", c.Face.Option("report"), err)}
	}
	if err := check.HasBrowser(ctx); errors.Is(err, check.ErrNoBrowser) { // before the build, which takes a while
		return &verbs.ExitError{Code: verbs.ExitBroken, Err: err}
	}
	released := verbs.BuildOptions{Face: c.Face, Dir: repo.Root, Platforms: "host", Bundler: bundler.Bundler{}}
	if _, err := verbs.Build(ctx, c.Stdout, released); err != nil {
		return err
	}
	list, err := openPreviews(ctx, c.Face, repo, pageOptions{isAsked: true, isCheck: true, with: o.With, listen: o.Listen}, c.Stdout)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, list.close()) }()
	data, err := os.MkdirTemp("", "slipway-preview-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	served := server.Options{Listen: "127.0.0.1:0", DataDir: data, PluginDirs: []string{repo.Root},
		Toggles: Toggles(), RequestLevel: slog.LevelDebug, AuditLevel: slog.LevelDebug}
	provision(&served, repo)
	s, err := serve.Open(ctx, c.Face, served, false, io.Discard, c.Stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, list.close(), s.Close()) }()
	if err := s.Mount(ctx); err != nil {
		return err
	}
	if _, err := s.Provision(ctx, devAccount); err != nil {
		return err
	}
	list.serve(s)
	if faults := s.Loader().Faults(); len(faults) > 0 { // nothing of a plugin that is not mounted is shown
		return &verbs.ExitError{Code: verbs.ExitFindings, Err: &faults[0]}
	}
	return runCheck(ctx, c, o.Update, repo, list, out)
}

func runCheck(ctx context.Context, c verbs.Call, isUpdate bool, repo bundle.Repo, list previews, out string) error {
	var with []string
	for _, p := range list {
		page, err := p.options.Page() // waits for the bundle
		if err != nil {
			return err
		}
		with = append(with, page.Libraries.String())
	}
	first := list[0]
	sides := first.options.Sides
	if len(sides) == 0 {
		sides = []preview.Side{{Origin: first.options.Origin}}
	}
	failed := 0
	results, err := check.Run(ctx, check.Options{
		Sides: sides, Token: first.options.Token, Views: first.server.Views(), Pictures: filepath.Join(repo.Root, "previews"),
		Update: isUpdate, Out: out,
		Each: func(r check.Result) {
			word := "ok    "
			if len(r.Problems) > 0 {
				word, failed = "failed", failed+1
			}
			fmt.Fprintf(c.Stdout, "%s  %s\n", word, terminal.Line(r.Title()))
			for _, problem := range r.Problems {
				fmt.Fprintf(c.Stdout, "  %s\n", terminal.Line(strings.TrimSpace(problem)))
			}
		},
	})
	if err != nil {
		return err
	}
	if len(results) == 0 {
		return &verbs.ExitError{Code: verbs.ExitBroken, Err: errors.New("nothing was checked: the preview shows no view of this plugin")}
	}
	fmt.Fprintf(c.Stdout, "%s, %d failed, with %s; report: %s\n", text.Plural(len(results), "view"), failed, strings.Join(with, "; "),
		filepath.Join(out, "index.html"))
	if failed > 0 {
		return &verbs.ExitError{Code: verbs.ExitFindings}
	}
	return nil
}
