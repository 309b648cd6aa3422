package adopt

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/bundle/config"
)

// addSettings takes over what magefiles set in build.Config of Grafana's SDK: into a new slipway.yaml, or as notes.
func (p *Plan) addSettings(context.Context, Options) error {
	found, err := findMagefiles(p.Dir)
	if err != nil {
		return err
	}
	var lines string
	for _, name := range found.files {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return request("read magefile: %w", err)
		}
		configs := map[string]bool{} // names of parameters
		ast.Inspect(f, func(n ast.Node) bool {
			if parameter, ok := n.(*ast.Field); ok {
				if kind, ok := parameter.Type.(*ast.SelectorExpr); ok && kind.Sel.Name == "Config" && len(parameter.Names) > 0 {
					configs[parameter.Names[0].Name] = true
				}
			}
			if platform := customBuild(n); platform != "" {
				p.note("%s:%d builds for %s as well: list it with the others in platforms, below backend in %s",
					filepath.Base(name), set.Position(n.Pos()).Line, platform, config.FileName)
			}
			of, field, value := assignment(n)
			if !configs[of] {
				return true
			}
			key := map[string]string{"EnableCGo": "cgo", "RootPackagePath": "main", "Env": "env", "CustomVars": "ldflags"}[field]
			at := fmt.Sprintf("%s:%d", filepath.Base(name), set.Position(n.Pos()).Line)
			switch value := literal(value); {
			case value == "false" || field == "OS" || field == "Arch":
			case value != "" && (key == "cgo" || key == "main"):
				lines += fmt.Sprintf("  %s: %s # as %s in %s\n", key, value, field, at)
			case key == "":
				p.note("%s sets %s, for which Slipway has no setting: it reads src and writes dist", at, field)
			default:
				p.note("%s sets %s, which Slipway does not read: write %s below backend in %s", at, field, key, config.FileName)
			}
			return true
		})
	}
	if lines == "" {
		return nil
	}
	name := filepath.Join(p.Dir, config.FileName)
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		p.note("Slipway reads no magefile: %s should have, below backend:\n%s", config.FileName, strings.TrimRight(lines, "\n"))
		return err
	}
	return p.create(name, "backend:\n"+lines)
}

// customBuild returns the platform, such as linux/s390x, that a call of the SDK's Build.Custom builds for, or "".
func customBuild(n ast.Node) string {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) != 2 {
		return ""
	}
	system, architecture := literal(call.Args[0]), literal(call.Args[1])
	if f, ok := call.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "Custom" || system == "" || architecture == "" {
		return ""
	}
	return strings.ReplaceAll(system+"/"+architecture, `"`, "")
}

// assignment returns the field of a variable that a statement assigns a value to, or to an element of which, or "".
func assignment(n ast.Node) (of, field string, value ast.Expr) {
	assigned, ok := n.(*ast.AssignStmt)
	if !ok || len(assigned.Lhs) != 1 || len(assigned.Rhs) != 1 {
		return "", "", nil
	}
	to := assigned.Lhs[0]
	if index, ok := to.(*ast.IndexExpr); ok {
		to = index.X
	}
	if selected, ok := to.(*ast.SelectorExpr); ok {
		if variable, ok := selected.X.(*ast.Ident); ok {
			return variable.Name, selected.Sel.Name, assigned.Rhs[0]
		}
	}
	return "", "", nil
}

func (p *Plan) note(format string, args ...any) {
	p.Notes = append(p.Notes, fmt.Sprintf(format, args...))
}

// literal returns a true, false or string of Go as YAML, or "" for what a program computes.
func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		if e.Name == "true" || e.Name == "false" {
			return e.Name
		}
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return strconv.Quote(strings.TrimPrefix(text, "./"))
		}
	}
	return ""
}
