package inspect

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/slipway-dev/slipway/validate"
)

// GoFile is a Go file of the backend.
type GoFile struct {
	Syntax *ast.File

	code   *Code
	tokens *token.File
}

// Place returns the position of a node.
func (f *GoFile) Place(p *validate.Pass, n ast.Node) validate.Place {
	return f.code.Place(p, f.tokens.Offset(n.Pos()), f.tokens.Offset(n.End()))
}

type backend struct {
	code     []Code
	parsed   map[string]*GoFile
	compiled func() map[string]bool // see compiledPackages
}

// HasBackend reports whether the plugin or one nested in it has a backend.
func HasBackend(p *validate.Pass) bool {
	return p.Doc.Bool("/backend") || slices.ContainsFunc(Nested(p), func(file string) bool {
		doc, _ := p.Document(file)
		return doc != nil && doc.Bool("/backend")
	})
}

// backends holds the Go files of the backend: those in pkg, where it is by convention, or else
// all of the repository, without tests, vendored packages and the modules beside a plugin without a backend.
var backends = validate.NewFact(func(p *validate.Pass) *backend {
	dir := home(p)
	if pkg := path.Join(dir, "pkg"); Exists(p, pkg) {
		dir = pkg
	}
	isGo := func(name string) bool {
		base := path.Base(name)
		return path.Ext(base) == ".go" && !strings.HasSuffix(base, "_test.go") && !strings.EqualFold(base, "magefile.go")
	}
	mayBeTool := !p.IsCatalog && !HasBackend(p) // the catalog looks at every file
	isOther := func(c Code) bool {              // of another plugin of the repository, or of a tool
		return !IsFirst(p, "backend", c.Name) || mayBeTool && isOtherModule(p, path.Dir(c.Name))
	}
	b := &backend{code: slices.DeleteFunc(readCode(p, dir, isGo), isOther), parsed: map[string]*GoFile{}}
	b.compiled = sync.OnceValue(func() map[string]bool { return b.compiledPackages(p) })
	return b
})

var modulePath = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`)

// compiledPackages returns the directories of the packages that executables contain: main packages, or that in pkg
// alone if no nested plugin may have another, and what they import of the module. It is nil if that is not known.
func (b *backend) compiledPackages(p *validate.Pass) map[string]bool {
	const maxBytes = 1 << 20
	mod, err := ReadFile(p, home(p), path.Join(home(p), "go.mod"), maxBytes)
	module := modulePath.FindSubmatch(mod)
	if err != nil || module == nil || p.IsCatalog { // as the catalog does
		return nil
	}
	imports, mains := map[string][]string{}, []string(nil)
	for i := range b.code {
		dir := path.Dir(b.code[i].Name)
		syntax, err := parser.ParseFile(token.NewFileSet(), "", b.code[i].Data, parser.ImportsOnly)
		if err != nil {
			return nil
		}
		if syntax.Name.Name == "main" && !isOtherModule(p, dir) {
			mains = append(mains, dir)
		}
		for _, spec := range syntax.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			if below, ok := strings.CutPrefix(name, string(module[1])); ok {
				imports[dir] = append(imports[dir], path.Join(home(p), below))
			}
		}
	}
	if pkg := path.Join(home(p), "pkg"); slices.Contains(mains, pkg) && len(Nested(p)) == 0 {
		mains = []string{pkg}
	}
	if len(mains) == 0 {
		return nil
	}
	compiled := map[string]bool{}
	for len(mains) > 0 {
		dir := mains[0]
		mains = mains[1:]
		if !compiled[dir] {
			compiled[dir] = true
			mains = append(mains, imports[dir]...)
		}
	}
	return compiled
}

// isOtherModule reports whether a directory below that of the repository's go.mod is of another module, such as a tool.
func isOtherModule(p *validate.Pass, dir string) bool {
	return dir != home(p) && (Exists(p, path.Join(dir, "go.mod")) || isOtherModule(p, path.Dir(dir)))
}

// EachGoFile calls check with every Go file of the backend that contains one of the words, and
// that some build of the backend contains. A file that cannot be read is a skip.
func EachGoFile(p *validate.Pass, check func(*GoFile), words ...string) {
	if p.IsNested {
		return
	}
	all := backends.Of(p)
	for i := range all.code {
		c := &all.code[i]
		if !mayConcern(p, c, words) {
			continue
		}
		f, ok := all.parsed[c.Name]
		if !ok {
			f = parseGo(c)
			all.parsed[c.Name] = f
		}
		switch {
		case f == nil:
			p.Skipf("cannot read %s: its syntax is invalid", c.Name)
		case all.compiled() != nil && !all.compiled()[path.Dir(c.Name)]: // of tests, or of a tool
		case !isLeftOut(f.Syntax):
			check(f)
		}
	}
}

// EachGoCall calls check with every call, in the files of EachGoFile, of one of the functions of
// an imported package, or of any of its functions if there are no names.
func EachGoCall(p *validate.Pass, pkg string, check func(f *GoFile, call *ast.CallExpr, name string), names ...string) {
	words := names
	if len(names) == 0 {
		words = []string{strconv.Quote(pkg)}
	}
	EachGoFile(p, func(f *GoFile) {
		local := f.importName(pkg)
		for n := range ast.Preorder(f.Syntax) {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				continue
			}
			selector, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				continue
			}
			x, ok := selector.X.(*ast.Ident)
			if ok && x.Name == local && denotes(x) == nil && (len(names) == 0 || slices.Contains(names, selector.Sel.Name)) {
				check(f, call, selector.Sel.Name)
			}
		}
	}, words...)
}

// parseGo returns nil if the syntax is invalid.
func parseGo(c *Code) *GoFile {
	set := token.NewFileSet()
	syntax, err := parser.ParseFile(set, c.Name, c.Data, parser.ParseComments)
	if err != nil {
		return nil
	}
	return &GoFile{Syntax: syntax, code: c, tokens: set.File(syntax.FileStart)}
}

// isLeftOut reports whether no build of the backend contains the file, because of a
// constraint such as "mage" or "ignore".
func isLeftOut(f *ast.File) bool {
	for _, group := range f.Comments {
		if group.Pos() > f.Package {
			break
		}
		for _, c := range group.List {
			expr, err := constraint.Parse(c.Text)
			if err != nil {
				continue
			}
			isTool := func(tag string) bool { return !slices.Contains([]string{"mage", "ignore", "tools"}, tag) }
			if !expr.Eval(isTool) && expr.Eval(func(string) bool { return true }) {
				return true
			}
		}
	}
	return false
}

// importName returns the name of an imported package in the file, or "" if it is not imported.
func (f *GoFile) importName(pkg string) string {
	for _, spec := range f.Syntax.Imports {
		if importPath, err := strconv.Unquote(spec.Path.Value); err != nil || importPath != pkg {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return path.Base(pkg)
	}
	return ""
}

// denotes returns what an identifier denotes if the file declares it, which an import does not.
//
//lint:ignore SA1019 the scopes of one file suffice for packages and strings; types would need the whole module
func denotes(x *ast.Ident) *ast.Object { return x.Obj }

// StringOf returns the string that an expression is: a literal, or a variable or constant of
// the file to which only literals are assigned, the last one before the expression.
func (f *GoFile) StringOf(e ast.Expr) (value string, ok bool) {
	if lit, isLit := e.(*ast.BasicLit); isLit && lit.Kind == token.STRING {
		value, err := strconv.Unquote(lit.Value)
		return value, err == nil
	}
	x, isIdent := e.(*ast.Ident)
	if !isIdent || denotes(x) == nil || denotes(x).Kind != ast.Var && denotes(x).Kind != ast.Con {
		return "", false
	}
	isKnown := true
	assign := func(name *ast.Ident, values []ast.Expr, i int) {
		if denotes(name) != denotes(x) || !isKnown {
			return
		}
		if i >= len(values) {
			isKnown = false
			return
		}
		lit, isLit := values[i].(*ast.BasicLit)
		if isKnown = isLit && lit.Kind == token.STRING; isKnown && (!ok || name.Pos() < x.Pos()) {
			value, _ = strconv.Unquote(lit.Value)
			ok = true
		}
	}
	for n := range ast.Preorder(f.Syntax) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, target := range n.Lhs {
				if name, isName := target.(*ast.Ident); isName {
					assign(name, n.Rhs, i)
				}
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				assign(name, n.Values, i)
			}
		}
	}
	return value, ok && isKnown
}
