package verbs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/format"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/atomicfile"
	"github.com/slipway-dev/slipway/internal/progress"
)

// linter is a program that checks Go code if a repository asks for it.
type linter struct {
	name    string
	tool    string   // import path of the tool in go.mod, without a version suffix
	configs []string // files that ask for it
	args    []string
}

func linters() []linter {
	return []linter{
		{"golangci-lint", "github.com/golangci/golangci-lint",
			[]string{".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"}, []string{"run"}},
		{"staticcheck", "honnef.co/go/tools/cmd/staticcheck", []string{"staticcheck.conf"}, nil},
	}
}

// runLint runs go vet, golangci-lint and staticcheck if go.mod has them as tools or the repository
// configures them, and the lint script of a frontend, or at least the check of its types. It prints each command that it runs.
func runLint(ctx context.Context, w *os.File, face Face, dir string) error {
	repo, err := FindRepo(w, dir)
	if err != nil {
		return err
	}
	packages, err := goPackages(ctx, repo.Root)
	if err != nil {
		return err
	}
	if len(packages) == 0 {
		fmt.Fprintln(w, "no Go code to lint: the repository has no Go packages")
	} else {
		err = lintGo(ctx, w, repo, importPaths(packages))
	}
	if hasFrontend(repo) {
		f := readFrontend(repo.Root)
		_, wrong := f.run(ctx, w, "TypeScript was not linted", "lint")
		if err = errors.Join(err, wrong); f.missing != "" && f.scripts != nil {
			err = errors.Join(err, checkTypes(ctx, w, face, repo.Root, f.missing))
		}
	}
	return err
}

func lintGo(ctx context.Context, w *os.File, repo bundle.Repo, packages []string) error {
	defer progress.Task{W: w, Name: "linting"}.Start()()
	failed := []error{runTool(ctx, w, repo.Root, "go", append([]string{"vet"}, packages...)...)}
	tools, err := goOutput(ctx, repo.Root, "tool")
	if err != nil {
		return fmt.Errorf("list the tools of go.mod: %w", err)
	}
	for _, l := range linters() {
		command, why := l.command(repo.Root, strings.Fields(tools))
		if why != "" {
			fmt.Fprintf(w, "%s did not run: %s\n", l.name, why)
			continue
		}
		patterns := packages
		if l.name == "golangci-lint" { // it takes directories
			patterns = []string{"./..."}
		}
		failed = append(failed, runTool(ctx, w, repo.Root, command[0], append(append(command[1:], l.args...), patterns...)...))
	}
	return errors.Join(failed...)
}

// command returns the command of a linter, or why the linter does not run. tools are the import paths in go.mod.
func (l linter) command(dir string, tools []string) (command []string, why string) {
	for _, tool := range tools {
		if tool == l.tool || strings.HasPrefix(tool, l.tool+"/") {
			return []string{"go", "tool", tool}, ""
		}
	}
	for _, config := range l.configs {
		if _, err := os.Stat(filepath.Join(dir, config)); err != nil {
			continue
		}
		if _, err := exec.LookPath(l.name); err != nil {
			return nil, "the repository has " + config + ", but " + l.name + " is not installed"
		}
		return []string{l.name}, ""
	}
	return nil, "go.mod does not list it as a tool, and it has no configuration file here"
}

// runFormat formats the Go files of a plugin repository like gofmt, and prints which.
func runFormat(w io.Writer, dir string) error {
	repo, err := FindRepo(w, dir)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(repo.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (bundle.IsToolDir(d.Name()) || name == bundle.DistDir):
			return fs.SkipDir
		case !d.Type().IsRegular() || path.Ext(name) != ".go":
			return nil
		}
		return formatFile(w, root, name)
	})
}

func formatFile(w io.Writer, root *os.Root, name string) error {
	file := filepath.FromSlash(name)
	before, err := root.ReadFile(file)
	if err != nil {
		return err
	}
	after, err := format.Source(before)
	if err != nil {
		return fmt.Errorf("format %s: %w", name, err)
	}
	if bytes.Equal(before, after) {
		return nil
	}
	info, err := root.Lstat(file)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "formatted %s\n", name)
	return atomicfile.WriteIn(root, file, info.Mode().Perm(), after)
}
