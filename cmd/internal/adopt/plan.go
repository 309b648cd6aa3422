// Package adopt changes the files of existing plugin repositories: init adds Slipway to
// a repository that was made with other tools, and a scaffold is brought up to date with
// a three-way merge.
//
// It computes all changes before it writes the first file. It does not run targets, and
// it prints nothing.
package adopt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/internal/process"
	"github.com/slipway-dev/slipway/internal/version"
)

// Options describe what init adds to which repository.
type Options struct {
	Dir     string // directory of the plugin; "" is the current directory
	Slipway version.Origin

	NoWorkflow bool              // add no workflow
	Step       func(name string) // called before each long step; may be nil
}

// A File is the change of one file.
type File struct {
	Path   string // slash-separated, relative to Plan.Root
	Before []byte // nil if the file is created
	After  []byte
}

// A Plan is what init changes.
type Plan struct {
	Root      string // the top directory of the Git repository, or Dir outside of one; absolute
	Dir       string // the directory of the plugin; absolute
	Namespace string // of Slipway's targets in Mage, such as "slipway", or ""
	OldMage   string // the version of Mage that go.mod requires, if it is too old for the targets
	OldGo     string // the version of Go in go.mod, if it was too old for tools
	Files     []File // in the order in which they are written
	Notes     []string
}

// Command returns the command line of a verb here, with options such as "format=sarif".
func (p *Plan) Command(verb string, options ...string) []string {
	line, hyphens := []string{"go", "tool", "mage", verb}, "-"
	switch {
	case p.OldMage != "":
		line, hyphens = []string{"go", "tool", "slipway", verb}, "--"
	case p.Namespace != "":
		line[3] = p.Namespace + ":" + verb
	}
	for _, o := range options {
		o = hyphens + o
		if p.OldMage != "" { // slipway takes a path as an argument; Mage has only options
			o = strings.TrimPrefix(o, hyphens+"path=")
		}
		line = append(line, o)
	}
	return line
}

func (p *Plan) line(verb string, options ...string) string {
	return strings.Join(p.Command(verb, options...), " ")
}

// RequestError is an error in the options or in the repository, which the author must correct first.
type RequestError struct{ Err error }

// Error returns the text of Err.
func (e *RequestError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *RequestError) Unwrap() error { return e.Err }

func request(format string, args ...any) error {
	return &RequestError{fmt.Errorf(format, args...)}
}

// MakePlan computes what init changes. It runs the go command, which may download
// modules, on copies of go.mod and go.sum. It leaves the repository unchanged.
func MakePlan(ctx context.Context, o Options) (*Plan, error) {
	repo, err := bundle.FindRepo(o.Dir)
	if err != nil {
		return nil, &RequestError{err}
	}
	dir, err := filepath.EvalSymlinks(repo.Root)
	if err != nil {
		return nil, err
	}
	p := &Plan{Root: topDir(dir), Dir: dir}
	for _, add := range []func(context.Context, Options) error{p.addTool, p.addSettings, p.addWorkflow} {
		err := add(ctx, o)
		if ctx.Err() != nil {
			return nil, errors.New("interrupted; nothing was changed")
		}
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// topDir returns the top directory of the Git repository that contains dir, or dir.
func topDir(dir string) string {
	if top, isRepo := tree.Boundary(dir); isRepo {
		return top
	}
	return dir
}

func (p *Plan) rel(file string) (string, error) {
	rel, err := filepath.Rel(p.Root, file)
	return filepath.ToSlash(rel), err
}

// change adds the change of a file, unless its content stays the same.
func (p *Plan) change(file string, before, after []byte) error {
	if before != nil && string(before) == string(after) {
		return nil
	}
	rel, err := p.rel(file)
	if err != nil {
		return err
	}
	p.Files = append(p.Files, File{rel, before, after})
	return nil
}

// create adds a new file, unless there is one of that name.
func (p *Plan) create(file, text string) error {
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return p.change(file, nil, []byte(text))
}

// addWorkflow adds a workflow at the top of the repository, where workflows run, unless another one validates plugins.
func (p *Plan) addWorkflow(ctx context.Context, o Options) error {
	if o.NoWorkflow {
		return nil
	}
	workflows := filepath.Join(p.Root, ".github", "workflows")
	rel, err := p.rel(p.Dir)
	if err != nil {
		return err
	}
	name := "slipway.yml"
	if rel != "." {
		name = "slipway-" + strings.ReplaceAll(rel, "/", "-") + ".yml"
	} else if validates(workflows) {
		return nil
	}
	return p.create(filepath.Join(workflows, name), p.workflow(ctx, rel))
}

func validates(workflows string) bool {
	names, _ := fs.Glob(os.DirFS(workflows), "*.y*ml") // fails only for a malformed pattern
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(workflows, name))
		if err == nil && (strings.Contains(string(text), "go tool mage validate") || strings.Contains(string(text), "slipway validate")) {
			return true
		}
	}
	return false
}

// workflow returns the workflow for the plugin in dir, relative to the repository.
func (p *Plan) workflow(ctx context.Context, dir string) string {
	name, defaults := "Slipway", ""
	if dir != "." {
		name = "Slipway (" + dir + ")"
		defaults = fmt.Sprintf("    defaults:\n      run:\n        working-directory: %q\n", dir)
	}
	module := p.moduleDir(dir)
	return fmt.Sprintf(workflow, name, p.defaultBranch(ctx), defaults, path.Join(module, "go.mod"), path.Join(module, "go.sum"),
		p.line("validate", "format=github"), p.line("deps"), p.line("build", "platforms=host"),
		p.line("validate", "format=github", "path=dist"))
}

// defaultBranch returns the name of the default branch, or the usual names.
func (p *Plan) defaultBranch(ctx context.Context) string {
	out, err := process.Output(exec.CommandContext(ctx, "git", "-C", p.Root, "symbolic-ref", "--short", "refs/remotes/origin/HEAD"))
	if name, ok := strings.CutPrefix(strings.TrimSpace(string(out)), "origin/"); ok && err == nil {
		return strconv.Quote(name)
	}
	return "main, master"
}

// moduleDir returns the nearest directory from dir upwards that has or gets a go.mod, relative to Root.
func (p *Plan) moduleDir(dir string) string {
	for at := dir; ; at = path.Dir(at) {
		file := path.Join(at, "go.mod")
		for _, f := range p.Files {
			if f.Path == file {
				return at
			}
		}
		if _, err := os.Stat(filepath.Join(p.Root, filepath.FromSlash(file))); err == nil || at == "." {
			return at
		}
	}
}

const workflow = `name: %[1]q
on:
  push:
    branches: [%[2]s] # the default branch
  pull_request:

permissions:
  contents: read

jobs:
  plugin:
    runs-on: ubuntu-latest
%[3]s    steps:
      - uses: actions/checkout@v7
        with:
          persist-credentials: false
      - uses: actions/setup-go@v7
        with:
          go-version-file: %[4]q
          cache-dependency-path: %[5]q
      - uses: actions/cache@v6 # packages of the frontend
        with:
          path: ~/.cache/slipway
          key: slipway-${{ hashFiles('**/package-lock.json', '**/yarn.lock', '**/pnpm-lock.yaml') }}
          restore-keys: slipway-
      - run: %[6]s
      - run: %[7]s
      - run: %[8]s
      - run: %[9]s
`
