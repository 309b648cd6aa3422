package inspect

import (
	"bytes"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"sync"

	"github.com/slipway-dev/slipway/validate"
)

// The packages of Grafana's SDK that have the types below.
const (
	sdkBackend   = "github.com/grafana/grafana-plugin-sdk-go/backend"
	sdkConfig    = "github.com/grafana/grafana-plugin-sdk-go/config"
	sdkUserAgent = "github.com/grafana/grafana-plugin-sdk-go/backend/useragent"
)

// The types of a request of Grafana's SDK whose members EachSDKUse finds.
const (
	pluginContext = "PluginContext"
	grafanaConfig = "GrafanaCfg"
)

// EachSDKUse calls check with what the backend uses of the requests of Grafana's SDK, such as
// "PluginContext.Namespace" and "GrafanaCfg.AppURL", and with the methods that a host calls, such as
// "ValidateAdmission". isGuarded says that the file asks for the version of the host or whether there is a
// value, or that the code goes on after an error. Only files with one of the words are read.
func EachSDKUse(p *validate.Pass, check func(name string, isGuarded bool, at func() validate.Place), words ...string) {
	EachGoFile(p, func(f *GoFile) {
		if !slices.ContainsFunc([]string{sdkBackend, sdkConfig, sdkUserAgent}, func(pkg string) bool { return f.importName(pkg) != "" }) {
			return
		}
		asksVersion := bytes.Contains(f.code.Data, []byte(".GrafanaVersion()"))
		handled := map[ast.Node]bool{}
		compared := sync.OnceValue(f.comparedWithEmpty)
		report := func(name string, call, n ast.Node) {
			isGuarded := asksVersion || handled[call]
			check(name, isGuarded, func() validate.Place { return f.Place(p, n) })
		}
		for n := range ast.Preorder(f.Syntax) {
			for _, call := range handledCalls(n) {
				handled[call] = true
			}
			switch n := n.(type) {
			case *ast.FuncDecl:
				if f.isHandler(n) {
					report(n.Name.Name, n, n.Name)
				}
			case *ast.CallExpr:
				selector, ok := n.Fun.(*ast.SelectorExpr)
				switch {
				case !ok:
				case f.isFrom(selector, sdkBackend, "UserAgentFromContext"), f.isFrom(selector, sdkUserAgent, "FromContext"):
					report(pluginContext+".UserAgent", n, n.Fun)
				case f.sdkType(selector.X, 0) == grafanaConfig:
					report(grafanaConfig+"."+selector.Sel.Name, n, n.Fun)
				}
			case *ast.SelectorExpr:
				if f.sdkType(n.X, 0) == pluginContext {
					handled[n] = handled[n] || compared()[strings.ToLower(n.Sel.Name)]
					report(pluginContext+"."+n.Sel.Name, n, n)
				}
			}
		}
	}, words...)
}

// isHandler reports whether a declaration is a method with a context and a request of the SDK.
func (f *GoFile) isHandler(n *ast.FuncDecl) bool {
	const least = 2
	if n.Recv == nil || n.Type.Params.NumFields() < least {
		return false
	}
	return slices.ContainsFunc(n.Type.Params.List, func(param *ast.Field) bool {
		star, ok := param.Type.(*ast.StarExpr)
		if !ok {
			return false
		}
		selector, ok := star.X.(*ast.SelectorExpr)
		return ok && strings.HasSuffix(selector.Sel.Name, "Request") && f.isFrom(selector, sdkBackend, selector.Sel.Name)
	})
}

// isFrom reports whether a selector is a name of an imported package.
func (f *GoFile) isFrom(selector *ast.SelectorExpr, pkg, name string) bool {
	x, ok := selector.X.(*ast.Ident)
	return ok && selector.Sel.Name == name && denotes(x) == nil && x.Name == f.importName(pkg)
}

// maxVariables is through how many variables sdkType follows a value. Code that does not compile can be a circle.
const maxVariables = 10

// sdkType returns which of the two types of a request an expression, or the name of a type, is, or "".
// variables is how many led to it.
func (f *GoFile) sdkType(e ast.Expr, variables int) string {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return f.sdkType(e.X, variables)
	case *ast.StarExpr:
		return f.sdkType(e.X, variables)
	case *ast.UnaryExpr:
		return f.sdkType(e.X, variables)
	case *ast.CallExpr:
		selector, ok := e.Fun.(*ast.SelectorExpr)
		switch {
		case !ok:
		case f.isFrom(selector, sdkBackend, "PluginConfigFromContext"):
			return pluginContext
		case f.isFrom(selector, sdkBackend, "GrafanaConfigFromContext"), f.isFrom(selector, sdkConfig, "GrafanaConfigFromContext"):
			return grafanaConfig
		}
	case *ast.SelectorExpr:
		x, ok := e.X.(*ast.Ident)
		isPackage := ok && denotes(x) == nil // or a variable of another file
		switch {
		case f.isFrom(e, sdkBackend, pluginContext), e.Sel.Name == pluginContext && !isPackage:
			return pluginContext
		case f.isFrom(e, sdkBackend, grafanaConfig), f.isFrom(e, sdkConfig, grafanaConfig),
			e.Sel.Name == "GrafanaConfig" && f.sdkType(e.X, variables) == pluginContext:
			return grafanaConfig
		}
	case *ast.Ident:
		return f.sdkTypeOf(e, variables)
	}
	return ""
}

// sdkTypeOf returns the type of a parameter, or of a variable of a function.
func (f *GoFile) sdkTypeOf(x *ast.Ident, variables int) string {
	if variables++; denotes(x) == nil || variables > maxVariables {
		return ""
	}
	switch d := denotes(x).Decl.(type) {
	case *ast.Field:
		return f.sdkType(d.Type, variables)
	case *ast.ValueSpec:
		if d.Type != nil {
			return f.sdkType(d.Type, variables)
		}
	case *ast.AssignStmt:
		i := slices.IndexFunc(d.Lhs, func(e ast.Expr) bool {
			name, ok := e.(*ast.Ident)
			return ok && name.Name == x.Name
		})
		if i >= 0 && len(d.Rhs) == len(d.Lhs) && d.Tok == token.DEFINE && !mentions(d.Rhs[i], x.Name) {
			return f.sdkType(d.Rhs[i], variables)
		}
	}
	return ""
}

// mentions reports whether an expression contains a name, as in "x := x.y" for another x.
func mentions(e ast.Expr, name string) bool {
	for n := range ast.Preorder(e) {
		if x, ok := n.(*ast.Ident); ok && x.Name == name {
			return true
		}
	}
	return false
}

// handledCalls returns the calls of a statement after which the code goes on if there is an error.
func handledCalls(n ast.Node) (calls []ast.Node) {
	add := func(s ast.Stmt, after *ast.IfStmt) {
		if assign, ok := s.(*ast.AssignStmt); ok && len(assign.Rhs) == 1 && goesOn(after) {
			calls = append(calls, assign.Rhs[0])
		}
	}
	switch n := n.(type) {
	case *ast.IfStmt:
		add(n.Init, n)
	case *ast.BlockStmt:
		for i, s := range n.List {
			if after, ok := s.(*ast.IfStmt); ok && i > 0 && after.Init == nil {
				add(n.List[i-1], after)
			}
		}
	}
	return calls
}

// comparedWithEmpty returns the members and variables that the file compares with "", in lower case.
func (f *GoFile) comparedWithEmpty() map[string]bool {
	names := map[string]bool{}
	for n := range ast.Preorder(f.Syntax) {
		comparison, ok := n.(*ast.BinaryExpr)
		if !ok || comparison.Op != token.EQL && comparison.Op != token.NEQ {
			continue
		}
		if y, isLiteral := comparison.Y.(*ast.BasicLit); isLiteral && (y.Value == `""` || y.Value == "``") {
			switch x := comparison.X.(type) {
			case *ast.Ident:
				names[strings.ToLower(x.Name)] = true
			case *ast.SelectorExpr:
				names[strings.ToLower(x.Sel.Name)] = true
			}
		}
	}
	return names
}

// goesOn reports whether a statement compares an error with nil and does not return because of it.
func goesOn(s *ast.IfStmt) bool {
	condition, ok := s.Cond.(*ast.BinaryExpr)
	if !ok || condition.Op != token.EQL && condition.Op != token.NEQ {
		return false
	}
	if y, ok := condition.Y.(*ast.Ident); !ok || y.Name != "nil" {
		return false
	}
	for n := range ast.Preorder(s.Body) {
		if _, isReturn := n.(*ast.ReturnStmt); isReturn {
			return condition.Op == token.EQL
		}
	}
	return true
}
