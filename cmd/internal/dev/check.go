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
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/build/bundler"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/cmd/internal/serve"
	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/host/server"
	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/internal/text"
	"github.com/slipway-dev/slipway/preview"
	"github.com/slipway-dev/slipway/preview/check"
	"github.com/slipway-dev/slipway/validate"
)

// Check builds the plugin for release and opens each view of its preview in a browser.
func Check(ctx context.Context, c verbs.Call, o *verbs.PreviewOptions) (err error) {
	repo, err := verbs.FindRepo(c.Stdout, o.Dir)
	if err != nil {
		return err
	}
	out := cmp.Or(o.Report, filepath.Join(repo.Root, ".slipway", "preview-report"))
	if err := check.CheckOut(out); err != nil {
		return &verbs.ExitError{Code: verbs.ExitUsage, Err: fmt.Errorf("%s: %w", c.Face.Option("report"), err)}
	}
	pages := pageOptions{isAsked: true, isCheck: true, with: o.With, listen: o.Listen}
	if pages.other, err = otherBuild(c.Face, repo, o); err != nil {
		return err
	}
	if err := pages.prepare(c.Face, repo, o.Answers); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeAnswers(pages.answers, c.Stdout)) }()
	if err := check.HasBrowser(ctx); errors.Is(err, check.ErrNoBrowser) { // before the build, which takes a while
		return &verbs.ExitError{Code: verbs.ExitBroken, Err: err}
	}
	released := verbs.BuildOptions{Face: c.Face, Dir: repo.Root, Platforms: "host", Bundler: bundler.Bundler{}}
	built, err := verbs.Build(ctx, c.Stdout, released)
	if err != nil {
		return err
	}
	if o.Answers == "record" && (o.Only == "" || pages.answers.Clock.IsZero()) { // what was recorded before stays if the build fails
		if err := pages.answers.Restart(time.Now()); err != nil {
			return err
		}
	}
	list, err := openPreviews(ctx, c.Face, repo, pages, c.Stdout)
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
		Toggles: Toggles(), AuditLevel: slog.LevelDebug}
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
	return runCheck(ctx, c, o, repo, list, built, out)
}

func runCheck(ctx context.Context, c verbs.Call, o *verbs.PreviewOptions, repo bundle.Repo, list previews, built *verbs.Built,
	out string) error {
	var with []string
	version := ""
	for _, p := range list {
		page, err := p.options.Page() // waits for the bundle
		if err != nil {
			return err
		}
		version = page.Libraries.Minor()
		if name := page.Libraries.String(); !slices.Contains(with, name) {
			with = append(with, name)
		}
	}
	first := list[0]
	sides := first.options.Sides
	if len(sides) == 0 {
		sides = []preview.Side{{Origin: first.options.Origin}}
	}
	t := &tally{stdout: c.Stdout, begun: time.Now()}
	options := check.Options{
		Sides: sides, Token: first.options.Token, Views: first.server.Views(), Only: o.Only, Version: version,
		Pictures: filepath.Join(repo.Root, "previews"), Update: o.Update, Against: o.Against != "", Strict: o.Strict, Out: out,
		Tabs: o.Tabs, Begin: func(views int) { t.all = views * len(sides) }, Each: t.add,
		IsUsed: func(name string) bool { return isUsed(built.Report.Findings, name) },
	}
	if built.Config != nil {
		options.Expected = built.Config.Expected
	}
	results, err := check.Run(ctx, options)
	if err != nil {
		return err
	}
	if t.opened == 0 {
		err := errors.New("the preview shows no view of this plugin")
		if o.Only != "" {
			var names []string
			for _, v := range options.Views {
				names = append(names, v.Name)
			}
			err = fmt.Errorf("%s: %w", c.Face.Option("only"), nearest.Unknown("view", o.Only, names))
		}
		return &verbs.ExitError{Code: verbs.ExitBroken, Err: fmt.Errorf("nothing was checked: %w", err)}
	}
	said := fmt.Sprintf("%s, %d failed", text.Plural(t.opened, "view"), t.failed)
	switch {
	case options.Against && t.failed == 0:
		var ok bool
		if said, ok = check.Sameness(results); !ok {
			return &verbs.ExitError{Code: verbs.ExitBroken, Err: errors.New("nothing was compared: each view is drawn differently each time")}
		}
	case !options.Against && !options.Update && t.compared == 0:
		said += ", no picture compared (" + c.Face.Option("update") + " keeps those of new views)"
	}
	if options.Against {
		printSizes(c.Stdout, repo.Dist, o.Against)
	}
	fmt.Fprintf(c.Stdout, "%s, with %s\nreport: %s\n", said, strings.Join(with, "; "), filepath.Join(out, "index.html"))
	if t.failed > 0 {
		return &verbs.ExitError{Code: verbs.ExitFindings}
	}
	return nil
}

// isUsed reports whether the rule about imports has found that the plugin uses a name without asking whether it is there.
func isUsed(findings []validate.Finding, name string) bool {
	module, member, _ := strings.Cut(name, "#")
	return slices.ContainsFunc(findings, func(f validate.Finding) bool {
		words := strings.Fields(f.Message)
		return f.Rule == "import-outside-range" && f.Severity == validate.Error && words[0] == module && slices.Contains(words, member)
	})
}

// tally prints results as they come, and counts them.
type tally struct {
	stdout                   io.Writer
	begun, said              time.Time
	all                      int // results to come
	opened, failed, compared int
}

// sayEvery is how often a check says how far it is.
const sayEvery = 20 * time.Second

func (t *tally) add(results []check.Result) {
	isFine := !slices.ContainsFunc(results, func(r check.Result) bool { return len(r.Problems) > 0 || r.IsNew })
	for i, r := range results {
		word, color, title, said := "ok", terminal.Green, r.Title(), r.Problems
		switch {
		case len(r.Problems) > 0:
			word, color, t.failed = "failed", terminal.Red, t.failed+1
		case r.Path == "":
			word, color, said = "note", terminal.Blue, r.Notes
		case r.IsNew:
			word, color = "new", terminal.Magenta
		}
		if r.Path != "" {
			t.opened++
		}
		if r.Kept != "" {
			t.compared++
		}
		if isFine && i > 0 && r.Path != "" {
			continue // one line for all versions
		}
		if isFine {
			title = r.Name
		}
		fmt.Fprintf(t.stdout, "%s  %s\n", terminal.Paint(t.stdout, color, fmt.Sprintf("%-6s", word)), terminal.Line(title))
		for _, text := range said {
			fmt.Fprintf(t.stdout, "  %s\n", terminal.Line(strings.TrimSpace(text)))
		}
	}
	now := time.Now() // the first views of all tabs end late, and say little about the others
	if t.opened >= 8 && t.opened < t.all && now.Sub(t.begun) > sayEvery && now.Sub(t.said) > sayEvery {
		left := now.Sub(t.begun) / time.Duration(t.opened) * time.Duration(t.all-t.opened)
		fmt.Fprintf(t.stdout, "%d of %d, about %s left\n", t.opened, t.all, left.Round(time.Second))
		t.said = now
	}
}
