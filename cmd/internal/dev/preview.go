package dev

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/term"

	"github.com/slipway-dev/slipway/build/frontend"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/cmd/internal/serve"
	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/host/server"
	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/internal/text"
	"github.com/slipway-dev/slipway/preview"
	"github.com/slipway-dev/slipway/validate"
)

type pageOptions struct {
	isAsked bool // the libraries may be downloaded
	isCheck bool // nobody looks at it
	with    string
	other   []bundle.Plugin // another build, to compare with
	answers *preview.Answers
	invite  func(text string) // takes how to get a preview, if the libraries are missing
	listen  string
	token   string // "" chooses one
	cache   string
}

// prepare says what is wrong with the options, before anything takes a while, and opens the answers: to record or replay, or none.
func (o *pageOptions) prepare(f verbs.Face, repo bundle.Repo, answers string) (err error) {
	for with := range strings.SplitSeq(o.with, ",") {
		if _, err := preview.Choose(repo.Root, strings.TrimSpace(with), ""); err != nil {
			return verbs.Usage("%s: %w", f.Option("with"), err)
		}
	}
	if o.listen != "" && !serve.IsLoopback(o.listen) {
		return verbs.Usage("%s=%s: the page runs the code of plugins: choose a loopback address, such as 127.0.0.1:0", f.Option("listen"), o.listen)
	}
	switch answers {
	case "":
	case "record":
		o.answers, err = preview.RecordAnswers(repo.Root)
	case "replay":
		o.answers, err = preview.ReplayAnswers(repo.Root)
	default:
		err = fmt.Errorf("%s: %w", f.Option("answers"), nearest.Unknown("value", answers, []string{"record", "replay"}))
	}
	if err != nil {
		return &verbs.ExitError{Code: verbs.ExitUsage, Err: err}
	}
	return nil
}

// Toggles are the feature toggles of the host of a preview, as dev has them.
func Toggles() []string { return []string{access.ToggleServiceAccounts} }

type previewing struct {
	server   *preview.Server
	options  *preview.Options
	listener net.Listener
	http     *http.Server
	stop     context.CancelFunc // of the bundle and the requests
	base     func(net.Listener) context.Context
	running  sync.WaitGroup

	libraries string // with their version
	isClosed  bool
}

// previews are those of one plugin, one for each version of the libraries. There may be none.
type previews []*previewing

// openPreviews opens a preview for each version. They have the same token, and the first one shows all.
func openPreviews(ctx context.Context, f verbs.Face, repo bundle.Repo, o pageOptions, stdout *os.File) (list previews, err error) {
	o.token = rand.Text()
	var sides []preview.Side
	versions := strings.Split(o.with, ",")
	if o.other != nil {
		versions = []string{o.with, o.with}
	}
	for i, with := range versions {
		one := o
		if one.with = strings.TrimSpace(with); i > 0 {
			one.listen = ""
		}
		p, err := openPreview(ctx, f, repo, one, stdout)
		if err != nil {
			return nil, errors.Join(err, list.close())
		}
		if p == nil {
			return nil, list.close()
		}
		list = append(list, p)
		sides = append(sides, preview.Side{With: one.with, Origin: p.options.Origin})
	}
	if o.other != nil {
		sides[0].With, sides[1].With = "ours", "theirs"
		list[1].options.IsOther, list[1].options.Mounted = true, func() []bundle.Plugin { return o.other }
	}
	if len(list) == 1 {
		return list, nil
	}
	for _, p := range list {
		p.options.Sides = sides
	}
	return list, nil
}

// announce prints the links, which are the last lines, where they are seen.
func (l previews) announce(stdout io.Writer, invitation string) {
	fmt.Fprint(stdout, invitation)
	for _, p := range l {
		fmt.Fprintf(stdout, "preview: %s (%s)\n", p.link(), p.libraries)
	}
	if len(l) > 1 {
		fmt.Fprintf(stdout, "side by side: %s/-/beside#token=%s\n", l[0].options.Origin, l[0].options.Token)
	}
}

// closeAnswers prints how many answers were recorded.
func closeAnswers(a *preview.Answers, stdout io.Writer) error {
	if a == nil {
		return nil
	}
	if n := a.Recorded(); n > 0 {
		fmt.Fprintf(stdout, "recorded %s in %s; read what they say before you commit them\n", text.Plural(n, "answer"), preview.AnswersDir)
	}
	return a.Close()
}

// link returns the address of the page of the first preview, or nil.
func (l previews) link() *url.URL {
	if len(l) == 0 {
		return nil
	}
	return l[0].link()
}

func (l previews) serve(s *server.Server) {
	for _, p := range l {
		p.serve(s)
	}
}

func (l previews) close() (err error) {
	for _, p := range l {
		err = errors.Join(err, p.close())
	}
	return err
}

func (l previews) tell(say func(*preview.Server)) {
	for _, p := range l {
		if p.server != nil {
			say(p.server)
		}
	}
}

// openPreview listens for the preview and begins to bundle its page. It prints the link, or why
// there is no preview: then it returns nil, unless somebody asked for it.
func openPreview(ctx context.Context, f verbs.Face, repo bundle.Repo, o pageOptions, stdout *os.File) (*previewing, error) {
	meta, err := verbs.ReadMetadata(repo.Source)
	switch {
	case err == nil && hasFrontend(repo) && meta.Type != bundle.TypeRenderer && meta.Type != bundle.TypeSecretsManager:
	case !o.isAsked:
		return nil, nil
	case err != nil:
		return nil, verbs.Usage("preview: %w; run %s for details", err, f.Verb("validate"))
	default:
		return nil, verbs.Usage("preview: %s has no frontend to show", repo.Root)
	}
	cache := o.cache
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("find cache directory: %w", err)
		}
		cache = filepath.Join(user, "slipway")
	}
	address := cmp.Or(o.listen, "127.0.0.1:0")
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address) // before the download, which takes longer
	if err != nil {
		return nil, serve.Explain(f, server.Options{Listen: address}, &server.ListenError{Address: address, Err: err})
	}
	libraries, err := bringLibraries(ctx, f, o, preview.InstallOptions{CacheDir: cache, Root: repo.Root, Environ: os.Environ(),
		Out: stdout, IsTerminal: term.IsTerminal(int(stdout.Fd()))}, meta.Dependencies.ServiceRange)
	if err != nil || libraries.Dir == "" {
		return nil, errors.Join(err, listener.Close())
	}
	ctx, stop := context.WithCancel(ctx)
	p := &previewing{listener: listener, stop: stop, options: &preview.Options{
		Repo: repo, Main: meta.ID, Answers: o.answers, Token: cmp.Or(o.token, rand.Text()),
		// Not the name of the host, since cookies and origins depend on it.
		Origin: "http://localhost:" + strconv.Itoa(listener.Addr().(*net.TCPAddr).Port),
		Page: sync.OnceValues(func() (*preview.Page, error) {
			return preview.Bundle(ctx, preview.BundleOptions{Libraries: libraries, CacheDir: cache})
		}),
	}}
	p.base = func(net.Listener) context.Context { return ctx }
	p.running.Go(func() {
		if _, err := p.options.Page(); err != nil && ctx.Err() == nil && !o.isCheck {
			fmt.Fprintf(stdout, "%v\nhelp: try other libraries with %s=12.4\n", err, f.Verb("preview")+" "+f.Option("with"))
		}
	})
	p.libraries = libraries.String()
	if !o.isCheck && !libraries.HasRefresh() {
		fmt.Fprintf(stdout, "  components lose their state when they change; %s once adds Fast Refresh\n", f.Verb("preview"))
	}
	return p, nil
}

// link returns the address of the page, with the token.
func (p *previewing) link() *url.URL {
	return &url.URL{Scheme: "http", Host: strings.TrimPrefix(p.options.Origin, "http://"), Path: "/", Fragment: "token=" + p.options.Token}
}

// bringLibraries returns the libraries of the page, or none, with an invitation, if nobody asked to download them.
func bringLibraries(ctx context.Context, f verbs.Face, o pageOptions, install preview.InstallOptions, hosts string) (
	l preview.Libraries, err error) {
	if l, err = preview.Choose(install.Root, o.with, hosts); err != nil {
		return l, err
	}
	install.IsOffline = !o.isAsked
	if err := l.Bring(ctx, install); err != nil {
		return l, err
	}
	if l.Dir == "" {
		o.invite(fmt.Sprintf("preview of the frontend: %s (downloads %s once)\n", f.Verb("preview"), l.Lock.Size()))
		return l, nil
	}
	if o.isCheck { // the page is used once
		return l, nil
	}
	if err := l.AddRefresh(ctx, install); err != nil {
		fmt.Fprintf(install.Out, "Fast Refresh could not be added: %v\n", err)
	}
	return l, nil
}

// serve answers requests, which wait until the host is open.
func (p *previewing) serve(s *server.Server) {
	roles := map[string]http.Handler{}
	for _, role := range []host.Role{host.RoleViewer, host.RoleEditor, host.RoleAdmin} {
		roles[role.String()] = s.As("preview", role)
	}
	p.options.Console, p.options.API = s.URL(), func(role string) http.Handler { return roles[role] }
	if !p.options.IsOther {
		p.options.Mounted = func() (list []bundle.Plugin) {
			for _, plugin := range s.Loader().Plugins() {
				list = append(list, plugin.Bundle())
			}
			return list
		}
	}
	p.server = preview.New(*p.options)
	p.http = &http.Server{Handler: p.server, BaseContext: p.base}
	gate.Bound(p.http)
	p.running.Go(func() { _ = p.http.Serve(gate.Listen(p.listener)) }) // until close
}

// close ends the requests in progress, which the host must outlive. Calling it again does nothing.
func (p *previewing) close() error {
	if p.isClosed {
		return nil
	}
	p.isClosed = true
	p.stop()
	defer p.running.Wait()
	if p.http == nil {
		return p.listener.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), server.DefaultDrainTimeout)
	defer cancel()
	return errors.Join(p.http.Shutdown(ctx), p.http.Close()) // the requests have been canceled
}

// messagesOf returns findings for the page. Without errors among them, it is the reason alone.
func messagesOf(root, reason string, findings []validate.Finding, sources map[string][]byte) (list []preview.Message) {
	for _, f := range findings {
		if f.Severity != validate.Error {
			continue
		}
		m := preview.Message{File: below(root, f.File), Line: f.Line, Column: f.Column, Text: f.Message, Help: f.Help}
		if lines := strings.Split(string(sources[f.File]), "\n"); 0 < f.Line && f.Line <= len(lines) {
			m.Source = strings.TrimSuffix(lines[f.Line-1], "\r")
		}
		list = append(list, m)
	}
	if list == nil {
		list = []preview.Message{{Text: reason}}
	}
	return list
}

// hasFrontend reports whether the plugin of a repository, or one that it contains, has a frontend.
func hasFrontend(repo bundle.Repo) bool {
	return frontend.Entry(repo.Source) != "" || slices.ContainsFunc(bundle.ReposBelow(repo.Source), func(name string) bool {
		return frontend.Entry(filepath.Join(repo.Source, filepath.FromSlash(name))) != ""
	})
}
