package extensions

import (
	"reflect"
	"slices"
	"strconv"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// The functions of prelude.js that instrumented code calls.
const (
	moduleHelper  = "__module"  // the stand-in for a module
	testHelper    = "__test"    // a condition
	holdHelper    = "__hold"    // the left side of && or ||, kept for heldHelper
	givenHelper   = "__given"   // the left side of ??, kept for heldHelper
	heldHelper    = "__held"    // that value
	compareHelper = "__compare" // a comparison
	addHelper     = "__add"     // the operator +
	pieceHelper   = "__piece"   // a value that becomes part of a larger one
	siteHelper    = "__site"    // the first argument of a registration, or else its receiver
	stepHelper    = "__step"    // begins a statement at the top level
	failedHelper  = "__failed"  // an exception at the top level
	unknownHelper = "__unknown" // an unknown value
	keepHelper    = "__keep"    // a variable, or an unknown value if it has none
	lateHelper    = "__late"    // the arguments of all registrations, as functions
)

// method is a method of AppPlugin that registers something.
type method struct {
	name   string
	typ    Type   // "" exposes a component
	target string // the key that holds the extension points or the id
}

func methods() []method {
	return []method{
		{"addLink", Link, "targets"},
		{"addComponent", Component, "targets"},
		{"addFunction", Function, "targets"},
		{"exposeComponent", "", "id"},
		{"configureExtensionLink", Link, "extensionPointId"},
		{"configureExtensionComponent", Component, "extensionPointId"},
	}
}

// script is a bundle with calls to the prelude at its conditions, its registrations and
// everything that could grow without bound.
type script struct {
	program *goja.Program
	sites   []site
	steps   []file.Position // of the statements at the top level, without the end
}

// site is a call that looks like a registration.
type site struct {
	method
	position file.Position
	// isOther is set if the argument shows that this is a method of something else.
	isOther bool
}

// instrumenter changes a syntax tree in place.
type instrumenter struct {
	file   *file.File
	script *script
	tests  int
	late   []ast.Expression // the first arguments of sites, to be evaluated at the top level if a site is not reached
	copies int              // nodes that inliners have copied
	values map[string]int   // how often a name gets a value

	depth int // of functions and blocks
	// locals are the names that are declared below the top level. esbuild gives none of them the name of
	// something at the top level. The value is the binding of a constant, or nil for everything else
	// and for a name that is declared twice.
	locals map[string]*ast.Binding
}

func instrument(code string) (*script, error) {
	program, err := goja.Parse(bundleName, code)
	if err != nil {
		return nil, err
	}
	in := &instrumenter{file: program.File, script: &script{}, values: map[string]int{}, locals: map[string]*ast.Binding{}}
	body := program.Body[0].(*ast.ExpressionStatement).Expression.(*ast.CallExpression).
		Callee.(*ast.ArrowFunctionLiteral).Body.(*ast.BlockStatement)
	for i, s := range body.List {
		in.walk(reflect.ValueOf(&body.List[i]).Elem())
		body.List[i] = in.isolate(s)
	}
	thunks := make([]ast.Expression, len(in.late))
	for i, l := range in.late {
		thunks[i] = arrow(inliner{instrumenter: in}.copied(l))
	}
	first := &ast.ExpressionStatement{Expression: call(lateHelper, body.LeftBrace, thunks...)}
	last := &ast.ExpressionStatement{Expression: call(stepHelper, body.RightBrace, number(len(in.script.steps), body.RightBrace))}
	body.List = slices.Concat([]ast.Statement{first}, body.List, []ast.Statement{last})
	in.script.program, err = goja.CompileAST(program, true)
	return in.script, err
}

func (in *instrumenter) position(at file.Idx) file.Position {
	return in.file.Position(int(at) - in.file.Base())
}

// isolate keeps an exception in a statement at the top level from ending the evaluation.
func (in *instrumenter) isolate(s ast.Statement) ast.Statement {
	switch s.(type) {
	case *ast.FunctionDeclaration, *ast.LexicalDeclaration, *ast.ClassDeclaration, *ast.EmptyStatement:
		return s
	}
	at := s.Idx0()
	step := number(len(in.script.steps), at)
	in.script.steps = append(in.script.steps, in.position(at))
	caught := &ast.Identifier{Name: "__caught", Idx: at}
	failed := []ast.Statement{&ast.ExpressionStatement{Expression: call(failedHelper, at, step, caught)}}
	if v, ok := s.(*ast.VariableStatement); ok {
		for _, binding := range v.List {
			for _, name := range names(binding.Target) {
				variable := &ast.Identifier{Name: unistring.String(name), Idx: at}
				failed = append(failed, &ast.ExpressionStatement{Expression: &ast.AssignExpression{
					Operator: token.ASSIGN, Left: variable, Right: call(keepHelper, at, variable, text(name, at)),
				}})
			}
		}
	}
	return &ast.TryStatement{
		Try:   at,
		Body:  block(at, &ast.ExpressionStatement{Expression: call(stepHelper, at, step)}, s),
		Catch: &ast.CatchStatement{Catch: at, Parameter: caught, Body: block(at, failed...)},
	}
}

// walk instruments a node and everything below it.
func (in *instrumenter) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		in.walk(v.Elem())
		if e, ok := v.Interface().(ast.Expression); ok && v.CanSet() {
			if changed := reflect.ValueOf(in.expression(e)); changed.Type().AssignableTo(v.Type()) {
				v.Set(changed)
			}
		}
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if opensScope(v.Interface()) {
			in.depth++
			defer func() { in.depth-- }()
		}
		if in.depth > 0 {
			in.declare(v.Interface())
		}
		in.walk(v.Elem())
		in.node(v.Interface())
	case reflect.Slice:
		if _, repeated := v.Interface().([]*ast.VariableDeclaration); repeated {
			return // the same bindings are in the body
		}
		for i := range v.Len() {
			in.walk(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			in.walk(v.Field(i))
		}
	}
}

// node instruments the conditions of statements, the parts of larger values, and calls.
func (in *instrumenter) node(node any) {
	switch n := node.(type) {
	case *ast.Binding:
		if n.Initializer != nil {
			in.assigned(n.Target)
		}
	case *ast.ForIntoVar:
		in.assigned(n.Binding.Target)
		in.assigned(n.Binding.Target) // for each element
	case *ast.ForIntoExpression:
		in.assigned(n.Expression)
		in.assigned(n.Expression)
	case *ast.UnaryExpression:
		if n.Operator == token.INCREMENT || n.Operator == token.DECREMENT {
			in.assigned(n.Operand)
		}
	case *ast.IfStatement:
		n.Test = in.tested(n.Test)
	case *ast.ConditionalExpression:
		n.Test = in.tested(n.Test)
	case *ast.WhileStatement:
		n.Test = in.tested(n.Test)
	case *ast.DoWhileStatement:
		n.Test = in.tested(n.Test)
	case *ast.ForStatement:
		if n.Test != nil {
			n.Test = in.tested(n.Test)
		}
	case *ast.AssignExpression:
		in.assigned(n.Left)
		if n.Operator == token.PLUS { // +=
			n.Right = call(pieceHelper, n.Right.Idx0(), n.Right)
		}
	case *ast.TemplateLiteral:
		for i, e := range n.Expressions {
			n.Expressions[i] = call(pieceHelper, e.Idx0(), e)
		}
	case *ast.SpreadElement:
		n.Expression = call(pieceHelper, n.Expression.Idx0(), n.Expression)
	case *ast.CallExpression:
		in.registration(n)
	}
}

func (in *instrumenter) assigned(target ast.Expression) {
	for _, name := range names(target) {
		in.values[name]++
	}
}

func (in *instrumenter) tested(e ast.Expression) ast.Expression {
	in.tests++
	return call(testHelper, e.Idx0(), e, number(in.tests, e.Idx0()))
}

// expression returns what replaces an expression.
func (in *instrumenter) expression(e ast.Expression) ast.Expression {
	at := e.Idx0()
	switch e := e.(type) {
	case *ast.UnaryExpression:
		if e.Operator == token.NOT {
			e.Operand = in.tested(e.Operand)
		}
	case *ast.BinaryExpression:
		held := call(heldHelper, at)
		switch e.Operator {
		case token.LOGICAL_AND:
			return &ast.ConditionalExpression{Test: call(holdHelper, at, e.Left), Consequent: e.Right, Alternate: held}
		case token.LOGICAL_OR:
			return &ast.ConditionalExpression{Test: call(holdHelper, at, e.Left), Consequent: held, Alternate: e.Right}
		case token.COALESCE:
			return &ast.ConditionalExpression{Test: call(givenHelper, at, e.Left), Consequent: held, Alternate: e.Right}
		case token.PLUS:
			return call(addHelper, at, e.Left, e.Right)
		case token.EQUAL, token.NOT_EQUAL, token.STRICT_EQUAL, token.STRICT_NOT_EQUAL, token.LESS, token.LESS_OR_EQUAL,
			token.GREATER, token.GREATER_OR_EQUAL, token.IN, token.INSTANCEOF:
			if _, isPrivate := e.Left.(*ast.PrivateIdentifier); !isPrivate {
				in.tests++
				return call(compareHelper, at, text(e.Operator.String(), at), e.Left, e.Right, number(in.tests, at))
			}
		}
	}
	return e
}

// registration marks a call that looks like a registration.
func (in *instrumenter) registration(c *ast.CallExpression) {
	callee := c.Callee
	if o, ok := callee.(*ast.Optional); ok {
		callee = o.Expression
	}
	var receiver *ast.Expression
	var name string
	var at file.Idx
	switch callee := callee.(type) {
	case *ast.DotExpression:
		receiver, name, at = &callee.Left, string(callee.Identifier.Name), callee.Identifier.Idx
	case *ast.BracketExpression:
		if key, ok := callee.Member.(*ast.StringLiteral); ok {
			receiver, name, at = &callee.Left, string(key.Value), key.Idx
		}
	}
	for _, m := range methods() {
		if m.name != name {
			continue
		}
		id := number(len(in.script.sites), at)
		s := site{method: m, position: in.position(at)}
		var argument ast.Expression = &ast.NullLiteral{Idx: at, Literal: "null"}
		_, isSuper := (*receiver).(*ast.SuperExpression)
		switch {
		case len(c.ArgumentList) > 0 && !isSpread(c.ArgumentList[0]):
			argument = c.ArgumentList[0]
			s.isOther = isOther(argument, m)
			c.ArgumentList[0] = call(siteHelper, at, id, argument)
		case !isSuper:
			*receiver = call(siteHelper, at, id, *receiver)
		}
		in.script.sites = append(in.script.sites, s)
		in.late = append(in.late, argument)
	}
}

func isSpread(e ast.Expression) bool {
	_, ok := e.(*ast.SpreadElement)
	return ok
}

// isOther reports whether an argument is a literal that no registration has, as in the graph
// libraries whose addLink takes a source and a target.
func isOther(argument ast.Expression, m method) bool {
	switch a := argument.(type) {
	case *ast.StringLiteral, *ast.NumberLiteral, *ast.BooleanLiteral, *ast.ArrayLiteral, *ast.FunctionLiteral,
		*ast.ArrowFunctionLiteral, *ast.TemplateLiteral:
		return true
	case *ast.ObjectLiteral:
		for _, p := range a.Value {
			switch p := p.(type) {
			case *ast.PropertyShort:
				if string(p.Name.Name) == m.target {
					return false
				}
			case *ast.PropertyKeyed:
				if key, ok := p.Key.(*ast.StringLiteral); p.Computed || ok && string(key.Value) == m.target {
					return false
				}
			case *ast.SpreadElement:
				return false
			}
		}
		return true
	}
	return false
}

// opensScope reports whether what a node declares is not visible outside of it.
func opensScope(node any) bool {
	switch node.(type) {
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral, *ast.ClassStaticBlock, *ast.BlockStatement, *ast.CaseStatement,
		*ast.CatchStatement, *ast.ForStatement, *ast.ForOfStatement, *ast.ForInStatement:
		return true
	}
	return false
}

// declare notes the names that a node below the top level declares.
func (in *instrumenter) declare(node any) {
	var declared []string
	switch n := node.(type) {
	case *ast.LexicalDeclaration:
		for _, binding := range n.List {
			if id, ok := binding.Target.(*ast.Identifier); ok && n.Token == token.CONST {
				if _, twice := in.locals[string(id.Name)]; !twice {
					in.locals[string(id.Name)] = binding
				}
			}
		}
	case *ast.Binding:
		for _, name := range names(n.Target) {
			if in.locals[name] != n {
				declared = append(declared, name)
			}
		}
	case *ast.ParameterList:
		declared = names(n.Rest)
	case *ast.ForDeclaration:
		declared = names(n.Target)
	case *ast.CatchStatement:
		declared = names(n.Parameter)
	case *ast.FunctionDeclaration:
		declared = names(n.Function.Name)
	case *ast.ClassDeclaration:
		declared = names(n.Class.Name)
	}
	for _, name := range declared {
		in.locals[name] = nil
	}
}

// names returns the names that a binding declares.
func names(target ast.Expression) []string {
	var list []string
	switch t := target.(type) {
	case *ast.Identifier:
		if t != nil {
			list = append(list, string(t.Name))
		}
	case *ast.ArrayPattern:
		for _, e := range t.Elements {
			list = append(list, names(e)...)
		}
		list = append(list, names(t.Rest)...)
	case *ast.ObjectPattern:
		for _, p := range t.Properties {
			switch p := p.(type) {
			case *ast.PropertyShort:
				list = append(list, string(p.Name.Name))
			case *ast.PropertyKeyed:
				list = append(list, names(p.Value)...)
			}
		}
		list = append(list, names(t.Rest)...)
	case *ast.AssignExpression:
		list = append(list, names(t.Left)...)
	case *ast.Binding:
		list = append(list, names(t.Target)...)
	}
	return list
}

func call(function unistring.String, at file.Idx, arguments ...ast.Expression) *ast.CallExpression {
	return &ast.CallExpression{Callee: &ast.Identifier{Name: function, Idx: at}, LeftParenthesis: at, ArgumentList: arguments, RightParenthesis: at}
}

func number(n int, at file.Idx) ast.Expression {
	return &ast.NumberLiteral{Idx: at, Literal: strconv.Itoa(n), Value: int64(n)}
}

func text(s string, at file.Idx) ast.Expression {
	return &ast.StringLiteral{Idx: at, Literal: quote(s), Value: unistring.NewFromString(s)}
}

func arrow(e ast.Expression) ast.Expression {
	return &ast.ArrowFunctionLiteral{Start: e.Idx0(), ParameterList: &ast.ParameterList{}, Body: &ast.ExpressionBody{Expression: e}}
}

func block(at file.Idx, list ...ast.Statement) *ast.BlockStatement {
	return &ast.BlockStatement{LeftBrace: at, List: list, RightBrace: at}
}

// inliner copies an expression out of the functions and blocks that surround it. Local
// constants become their values. Other local names, and variables that change, become unknown
// values.
type inliner struct {
	*instrumenter
	depth int
}

// maxInlined is the depth at which a constant that refers to others, or to itself, is unknown.
const maxInlined = 20

// maxCopied is how many nodes of the syntax tree are copied before all further constants are
// unknown: each level of constants can multiply the copies.
const maxCopied = 50_000

func (in inliner) copied(e ast.Expression) ast.Expression {
	v := reflect.New(reflect.TypeFor[ast.Expression]()).Elem()
	v.Set(reflect.ValueOf(e))
	return in.value(v).Interface().(ast.Expression)
}

func (in inliner) value(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		to := reflect.New(v.Type()).Elem()
		if e, ok := v.Interface().(ast.Expression); ok {
			if replaced := in.replaced(e); replaced != nil {
				to.Set(reflect.ValueOf(replaced))
				return to
			}
		}
		to.Set(in.value(v.Elem()))
		return to
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		in.copies++
		to := reflect.New(v.Type().Elem())
		to.Elem().Set(in.value(v.Elem()))
		return to
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		to := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			to.Index(i).Set(in.value(v.Index(i)))
		}
		return to
	case reflect.Struct:
		to := reflect.New(v.Type()).Elem()
		for i := range v.NumField() {
			to.Field(i).Set(in.value(v.Field(i)))
		}
		return to
	}
	return v
}

// replaced returns what replaces an expression at the top level, or nil if it stays.
func (in inliner) replaced(e ast.Expression) ast.Expression {
	at := e.Idx0()
	switch e := e.(type) {
	case *ast.Identifier:
		binding, isLocal := in.locals[string(e.Name)]
		switch {
		case binding != nil && binding.Initializer != nil && in.depth < maxInlined && in.copies <= maxCopied:
			return inliner{in.instrumenter, in.depth + 1}.copied(binding.Initializer)
		case isLocal, in.values[string(e.Name)] > 1: // which value it has depends on when the call is made
			return call(unknownHelper, at, text(string(e.Name), at))
		}
	case *ast.PropertyShort:
		key := text(string(e.Name.Name), at)
		return &ast.PropertyKeyed{Key: key, Kind: ast.PropertyKindValue, Value: in.copied(&e.Name)}
	case *ast.ThisExpression, *ast.SuperExpression:
		return call(unknownHelper, at, text("this", at))
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral, *ast.ClassLiteral, *ast.AwaitExpression, *ast.YieldExpression:
		return call(unknownHelper, at, text("", at))
	}
	return nil
}
