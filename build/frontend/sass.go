package frontend

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dop251/goja"
	"github.com/evanw/esbuild/pkg/api"

	"github.com/slipway-dev/slipway/build/watchdog"
	"github.com/slipway-dev/slipway/bundle/tree"
)

// sass compiles style sheets with the package sass of the repository, Dart Sass as JavaScript, in an interpreter without
// access to the network, or to files but through find and read.
type sass struct {
	b      *bundler
	limits watchdog.Limits // of the start, and of each style sheet

	mu      sync.Mutex // an interpreter runs in one goroutine at a time
	vm      *goja.Runtime
	compile goja.Callable
	failed  []api.Message // why it cannot start
}

// The driver defines the function that compiles a style sheet.
//
//go:embed sass.js
var sassDriver string

const maxSassCalls = 5000

// sassLimits allow for esbuild, which allocates in the same process.
func sassLimits() watchdog.Limits { return watchdog.Limits{Time: time.Minute, Heap: 2 << 30} }

func (s *sass) load(in api.OnLoadArgs) (api.OnLoadResult, error) {
	text, err := os.ReadFile(in.Path)
	if err != nil {
		return api.OnLoadResult{}, err
	}
	ctx := s.b.ctx
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.vm == nil && s.failed == nil {
		if s.failed = s.start(ctx); ctx.Err() != nil {
			s.vm, s.failed = nil, nil
		}
	}
	if err := ctx.Err(); err != nil {
		return api.OnLoadResult{}, err
	}
	if s.failed != nil {
		failed := slices.Clone(s.failed) // at the import
		if slices.ContainsFunc(s.b.themed, func(t theme) bool { return t.file == in.Path }) {
			failed[0].Location = &api.Location{File: s.b.shown(in.Path), Line: 1}
		}
		return api.OnLoadResult{Errors: failed}, nil
	}
	var missing error // of a package, which may not be needed
	find := func(name string) string {
		found, err := s.find(in.Path, name)
		if err != nil {
			missing = err
		}
		return found
	}
	var css goja.Value
	isStopped, err := watchdog.Run(ctx, s.vm, s.limits, func() (err error) {
		css, err = s.compile(goja.Undefined(), s.vm.ToValue(string(text)), s.vm.ToValue(fileURL(in.Path)), s.vm.ToValue(find), s.vm.ToValue(s.read))
		return err
	})
	if err != nil {
		if ctx.Err() != nil {
			s.vm = nil
			return api.OnLoadResult{}, ctx.Err()
		}
		m := s.message(in.Path, err)
		if missing != nil {
			m.Text = strings.TrimSuffix(m.Text, ".") + ": " + missing.Error()
		}
		if !isStopped {
			s.vm = nil
		}
		return api.OnLoadResult{Errors: []api.Message{m}}, nil
	}
	contents, loader := css.String(), api.LoaderCSS
	wrong := s.b.needsPostCSS(in.Path, text)
	if wrong == nil { // it may be in a style sheet that this one uses, whose place is not known
		if wrong = s.b.needsPostCSS(in.Path, []byte(contents)); wrong != nil {
			wrong[0].Location = &api.Location{File: s.b.shown(in.Path), Line: 1}
		}
	}
	if wrong != nil {
		return api.OnLoadResult{Errors: wrong}, nil
	}
	if strings.Contains(filepath.Base(in.Path), ".module.") {
		loader = api.LoaderLocalCSS
	}
	return api.OnLoadResult{Contents: &contents, Loader: loader, ResolveDir: filepath.Dir(in.Path)}, nil
}

// start loads the compiler, which is bundled like a worker.
func (s *sass) start(ctx context.Context) []api.Message {
	inner := newBundler(ctx, s.b.Options, s.b.config)
	inner.isAlone = true
	o := inner.settings()
	o.Sourcemap, o.Format, o.LegalComments = api.SourceMapNone, api.FormatIIFE, api.LegalCommentsNone
	o.MinifyIdentifiers, o.MinifySyntax, o.MinifyWhitespace = false, false, false // it would take longer than it saves
	o.Stdin = &api.StdinOptions{Contents: sassDriver, ResolveDir: s.b.Root, Sourcefile: filepath.Join(s.b.Root, "sass.js")}
	built := api.Build(o)
	if len(built.Errors) > 0 {
		if slices.ContainsFunc(built.Errors[0].Notes, func(n api.Note) bool { return strings.Contains(n.Text, "built into node") }) {
			return sassError("this version of the package \"sass\" needs Node.js")
		}
		text, _ := explain("", lowerFirst(built.Errors[0].Text), "")
		return sassError(text)
	}
	vm := goja.New()
	vm.SetMaxCallStackSize(maxSassCalls)
	vm.SetFieldNameMapper(goja.TagFieldNameMapper("json", true))
	err := vm.Set("self", vm.GlobalObject())
	if err == nil {
		_, err = watchdog.Run(ctx, vm, s.limits, func() error {
			_, err := vm.RunString(string(built.OutputFiles[0].Contents))
			return err
		})
	}
	if err != nil {
		return sassError("start the package \"sass\": " + err.Error())
	}
	compile, ok := goja.AssertFunction(vm.Get("compileSass"))
	if !ok {
		return sassError("the package \"sass\" has no compiler")
	}
	s.vm, s.compile = vm, compile
	return nil
}

const sassHelp = "Sass is compiled by the package sass, 1.63 or later: npm install --save-dev sass; or " + ownBundler

func sassError(text string) []api.Message {
	return []api.Message{{Text: "cannot compile Sass: " + text, Notes: []api.Note{{Text: sassHelp}}, Detail: missing{module: "sass"}}}
}

// find returns the URL of the file that an import in a style sheet names, or "". The import is a
// URL if Sass has resolved it against that of the style sheet.
func (s *sass) find(importer, name string) (string, error) {
	if u, err := url.Parse(name); err == nil && u.Scheme == "file" {
		file, err := s.b.located(filePath(u))
		return sassFile(file), err
	}
	name = filepath.FromSlash(strings.TrimPrefix(name, "~")) // of sass-loader
	for dir := filepath.Dir(importer); ; dir = filepath.Dir(dir) {
		modules := filepath.Join(dir, "node_modules")
		if found := sassFile(filepath.Join(modules, name)); found != "" && !tree.IsLaidOut(modules) {
			return found, nil
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if s.b.Packages == nil {
		return "", nil
	}
	dir, ok, err := s.b.Packages.Dir(s.b.ctx, importer, PackageName(filepath.ToSlash(name)))
	if err != nil || !ok {
		return "", err
	}
	return sassFile(filepath.Join(dir, "node_modules", name)), nil
}

// sassFile returns the URL of the file that an import of a path refers to, or "".
func sassFile(base string) string {
	for _, file := range sassCandidates(base) {
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			return fileURL(file)
		}
	}
	return ""
}

// sassCandidates returns the files that an import can mean, in the order of Sass.
func sassCandidates(base string) (files []string) {
	if slices.Contains(sassExtensions(), filepath.Ext(base)) {
		return []string{base, partial(base)}
	}
	for _, base := range []string{base, filepath.Join(base, "index")} {
		for _, extension := range sassExtensions() {
			files = append(files, base+extension, partial(base+extension))
		}
	}
	return files
}

func partial(file string) string { return filepath.Join(filepath.Dir(file), "_"+filepath.Base(file)) }

func sassExtensions() []string { return []string{".scss", ".sass", ".css"} }

// read reads a file that find returned.
func (s *sass) read(at string) (string, error) {
	u, err := url.Parse(at)
	if err != nil {
		return "", err
	}
	file := filePath(u)
	if !slices.Contains(sassExtensions(), filepath.Ext(file)) {
		return "", fmt.Errorf("%s is not a style sheet", file)
	}
	if err := s.b.confinement.Check(file); err != nil {
		return "", err
	}
	s.b.mu.Lock()
	s.b.read = append(s.b.read, filepath.ToSlash(s.b.relative(file)))
	s.b.mu.Unlock()
	text, err := os.ReadFile(file)
	return string(text), err
}

func fileURL(file string) string {
	slashed := filepath.ToSlash(file)
	return (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(slashed, "/")}).String()
}

func filePath(u *url.URL) string {
	if volume := strings.TrimPrefix(u.Path, "/"); filepath.VolumeName(volume) != "" {
		return filepath.FromSlash(volume)
	}
	return filepath.FromSlash(u.Path)
}

// message turns an exception of Sass into a message at the place that it names.
func (s *sass) message(file string, err error) api.Message {
	m := api.Message{Text: err.Error(), Location: &api.Location{File: s.b.shown(file)}}
	for _, exceeded := range []error{watchdog.ErrTime, watchdog.ErrMemory} {
		if errors.Is(err, exceeded) {
			m.Text = "compile Sass: " + exceeded.Error()
		}
	}
	exception, ok := errors.AsType[*goja.Exception](err)
	if !ok {
		return m
	}
	var about struct {
		SassMessage string `json:"sassMessage"`
		Line        int    `json:"line"`
		Column      int    `json:"column"`
		Context     string `json:"context"`
		URL         string `json:"url"`
	}
	if s.vm.ExportTo(exception.Value(), &about) != nil || about.SassMessage == "" {
		return m
	}
	if u, err := url.Parse(about.URL); err == nil && u.Scheme == "file" {
		file = filePath(u)
	}
	line, _, _ := strings.Cut(about.Context, "\n")
	m.Text = cmp.Or(about.SassMessage, m.Text)
	if m.Text == "Can't find stylesheet to import." {
		m.Text = "cannot find the style sheet " + strings.TrimRight(line[min(about.Column, len(line)):], " ;\r")
	}
	m.Location = &api.Location{File: s.b.shown(file), Line: about.Line + 1, Column: about.Column, LineText: line, Length: 1}
	return m
}
