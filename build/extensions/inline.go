package extensions

import (
	"reflect"

	"github.com/dop251/goja/ast"
)

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
