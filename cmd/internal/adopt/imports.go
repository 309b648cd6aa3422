package adopt

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/internal/process"
)

type magefiles struct {
	dir         string // where Mage looks for them: the directory of the plugin, or magefiles in it
	files       []string
	packageName string
	hasTargets  bool   // they import Slipway's targets
	namespace   string // of that import, or ""
}

func findMagefiles(dir string) (m magefiles, err error) {
	m = magefiles{dir: dir, packageName: "main"}
	separate := filepath.Join(dir, "magefiles")
	info, err := os.Stat(separate)
	isSeparate := err == nil && info.IsDir()
	if isSeparate {
		m.dir = separate
	}
	names, _ := fs.Glob(os.DirFS(m.dir), "*.go") // fails only for a malformed pattern
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		name = filepath.Join(m.dir, name)
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return m, request("read magefile: %w", err)
		}
		if !isSeparate && !hasMageTag(f) {
			continue
		}
		m.files, m.packageName = append(m.files, name), f.Name.Name
		m.readImports(f)
	}
	return m, nil
}

// hasMageTag reports whether a file is built only with the tag mage.
func hasMageTag(f *ast.File) bool {
	for _, group := range f.Comments {
		for _, c := range group.List {
			if c.Pos() > f.Package {
				return false
			}
			x, err := constraint.Parse(c.Text)
			if err == nil && !x.Eval(func(string) bool { return false }) && x.Eval(func(tag string) bool { return tag == "mage" }) {
				return true
			}
		}
	}
	return false
}

// readImports looks for imports of Slipway's targets.
func (m *magefiles) readImports(f *ast.File) {
	for _, i := range f.Imports {
		if name, err := strconv.Unquote(i.Path.Value); err != nil || name != Targets {
			continue
		}
		m.hasTargets = true
		for _, group := range []*ast.CommentGroup{i.Doc, i.Comment} {
			if group == nil {
				continue
			}
			words := strings.Fields(strings.ToLower(strings.TrimPrefix(group.List[len(group.List)-1].Text, "//")))
			if len(words) == 2 && words[0] == "mage:import" {
				m.namespace = words[1]
			}
		}
	}
}

// magefile is a way to import the targets.
type magefile struct {
	namespace string
	imports   []string
	note      string // a comment
}

// noBackend is the note of a repository that had no go.mod. Without the name of that package in a magefile, Grafana's catalog
// takes go.mod for that of a backend, and refuses the repository.
const noBackend = "//\n// go.mod is for these tools only: the plugin has no Go code. A backend for Grafana's catalog would also need the targets of\n" +
	"// github.com/grafana/grafana-plugin-sdk-go/build.\n"

func (m magefile) text(packageName string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "//go:build mage\n\n// The targets of Slipway; \"go tool mage -l\" lists all. Day by day: dev, preview, validate, build, package and verify.\n%s\npackage "+
		"%s\n\nimport (\n", m.note, packageName)
	for _, name := range m.imports {
		fmt.Fprintf(&b, "\t%s\n\t_ %q\n", strings.TrimSpace("//mage:import "+m.namespace), name)
	}
	return b.String() + ")\n"
}

// addMagefile adds a magefile that imports the targets, beside the existing ones, which stay as they are. Mage refuses two
// targets of the same name, so it is asked which it accepts: all, those that Grafana's SDK lacks, or those in a namespace.
func (p *Plan) addMagefile(ctx context.Context, found magefiles, m *goModule) error {
	if found.hasTargets {
		p.Namespace = found.namespace
		return nil
	}
	candidates := []magefile{
		{imports: []string{Targets, workflows}},
		{imports: []string{Targets}},
		{namespace: "slipway", imports: []string{Targets}},
	}
	if len(found.files) == 0 {
		if m.before == nil {
			candidates[0].note = noBackend
		}
		return p.create(filepath.Join(found.dir, "magefile.go"), candidates[0].text(found.packageName))
	}
	name := filepath.Join(found.dir, "magefile_slipway.go")
	if _, err := os.Lstat(name); err == nil {
		return request("%s exists but does not import %s; rename it", name, Targets)
	}
	var refused error
	for _, c := range candidates {
		text := c.text(found.packageName)
		if refused = m.try(ctx, p.Dir, found, text); refused == nil {
			p.Namespace = c.namespace
			return p.create(name, text)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return request("Mage does not accept the magefiles together with Slipway's: %w\nnothing was changed", refused)
}

// try lists the targets of copies of the magefiles and of a text, in the module, whose packages they import.
func (m *goModule) try(ctx context.Context, dir string, found magefiles, text string) (err error) {
	work, err := os.MkdirTemp(dir, ".slipway-init-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	copies := filepath.Join(work, filepath.Base(found.dir)) // Mage treats the name magefiles specially
	if err := os.Mkdir(copies, 0o755); err != nil {
		return err
	}
	for _, name := range found.files {
		data, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(copies, filepath.Base(name)), data, 0o644)
		}
		if err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(copies, "magefile_slipway.go"), []byte(text), 0o644); err != nil {
		return err
	}
	cmd := m.command(ctx, "-mod=readonly", "tool", "mage", "-d", copies, "-w", dir, "-l")
	_, err = process.Output(cmd)
	return err
}
