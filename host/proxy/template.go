package proxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"text/template"
	"text/template/parse"
)

const (
	maxTemplate = 16 << 10 // bytes of a template
	maxRendered = 64 << 10 // bytes of its output
	mark        = "\x00"   // surrounds each value in the output
)

// settings are the values of templates: {{ .JsonData.x }}, {{ .SecureJsonData.y }} and {{ .URL }}.
type settings struct {
	URL            string
	JsonData       map[string]any // plugins use these names
	SecureJsonData map[string]string
}

// newSettings decodes jsonData. Numbers keep their spelling, and null is dropped, so that no template prints it.
func newSettings(base string, data json.RawMessage, secrets map[string]string) (settings, error) {
	s := settings{URL: base, JsonData: map[string]any{}, SecureJsonData: secrets}
	if len(data) == 0 {
		return s, nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&s.JsonData); err != nil {
		return s, unavailable("jsonData must be an object")
	}
	dropNull(s.JsonData)
	return s, nil
}

func dropNull(object map[string]any) {
	for key, v := range object {
		switch v := v.(type) {
		case nil:
			delete(object, key)
		case map[string]any:
			dropNull(v)
		}
	}
}

// piece is a part of the output of a template: literal text or a value.
type piece struct {
	text      string
	isValue   bool
	isEscaped bool // a value that the template has passed through urlquery
}

// render fills in a template. Errors name it by what and never contain a value.
func (s settings) render(what, text string) (string, error) {
	pieces, err := s.pieces(what, text)
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.text)
	}
	return b.String(), err
}

// pieces fills in a template and separates its values from its text.
func (s settings) pieces(what, text string) ([]piece, error) {
	if !strings.Contains(text, "{{") {
		return []piece{{text: text}}, nil
	}
	t, err := parseTemplate(text)
	if err != nil {
		return nil, unavailable("plugin.json: %s: %v", what, err)
	}
	out := limited{left: maxRendered}
	if err := t.Execute(&out, s); err != nil {
		return nil, unavailable("plugin.json: %s: %s", what, reason(err))
	}
	var list []piece
	for i, part := range strings.Split(out.String(), mark) {
		p := piece{text: part, isValue: i%2 == 1}
		if p.isValue {
			p.isEscaped, p.text = part[0] == 'e', part[1:]
		}
		list = append(list, p)
	}
	return list, nil
}

// parseTemplate rejects templates that could run long or print much: it allows no
// loops, no nested templates, and only the listed functions.
func parseTemplate(text string) (*template.Template, error) {
	if len(text) > maxTemplate {
		return nil, fmt.Errorf("the template has %d bytes; the limit is %d", len(text), maxTemplate)
	}
	if strings.Contains(text, mark) {
		return nil, errors.New("the template contains NUL")
	}
	t, err := template.New("").Option("missingkey=error").Funcs(template.FuncMap{
		"urlquery": query, "printf": printf, "index": index, "value": marked("v"), "escaped": marked("e"),
	}).Parse(text)
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "template: :"))
	}
	if len(t.Templates()) > 1 || t.Tree == nil {
		return nil, errors.New("the template must not define another template")
	}
	return t, guard(t.Tree.Root)
}

// guard rejects all nodes but those listed here and makes each printed value pass
// through the function value or escaped.
func guard(n parse.Node) error {
	switch n := n.(type) {
	case nil, *parse.TextNode, *parse.CommentNode, *parse.DotNode, *parse.FieldNode, *parse.VariableNode,
		*parse.StringNode, *parse.NumberNode, *parse.BoolNode:
		return nil
	case *parse.ListNode:
		if n == nil {
			return nil
		}
		for _, child := range n.Nodes {
			if err := guard(child); err != nil {
				return err
			}
		}
		return nil
	case *parse.ActionNode:
		if err := guard(n.Pipe); err != nil || len(n.Pipe.Decl) > 0 {
			return err
		}
		name := "value"
		if last, ok := n.Pipe.Cmds[len(n.Pipe.Cmds)-1].Args[0].(*parse.IdentifierNode); ok && last.Ident == "urlquery" {
			name = "escaped"
		}
		n.Pipe.Cmds = append(n.Pipe.Cmds, &parse.CommandNode{NodeType: parse.NodeCommand, Pos: n.Pos,
			Args: []parse.Node{parse.NewIdentifier(name).SetPos(n.Pos)}})
		return nil
	case *parse.IfNode:
		return errors.Join(guard(n.Pipe), guard(n.List), guard(n.ElseList))
	case *parse.WithNode:
		return errors.Join(guard(n.Pipe), guard(n.List), guard(n.ElseList))
	case *parse.PipeNode:
		for _, c := range n.Cmds {
			for _, arg := range c.Args {
				if err := guard(arg); err != nil {
					return err
				}
			}
		}
		return nil
	case *parse.ChainNode:
		return guard(n.Node)
	case *parse.IdentifierNode:
		switch n.Ident {
		case "and", "or", "not", "eq", "ne", "lt", "le", "gt", "ge", "len", "index", "printf", "urlquery":
			return nil
		}
		return fmt.Errorf("function %q is not allowed here", n.Ident)
	}
	return fmt.Errorf("%s is not allowed here", n)
}

type limited struct {
	strings.Builder
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, errors.New("the output is too long")
	}
	return l.Builder.Write(p)
}

// reason returns the part of a template error that helps its author: where and why.
func reason(err error) string {
	text := err.Error()
	if _, after, ok := strings.Cut(text, " at "); ok {
		text = after
	}
	return text
}

// marked returns the function that marks a printed value, which urlquery has escaped if kind is "e".
func marked(kind string) func(v any) (string, error) {
	return func(v any) (string, error) {
		text, err := scalar(v)
		if strings.Contains(text, mark) {
			return "", errors.New("the value contains NUL")
		}
		return mark + kind + text + mark, err
	}
}

func scalar(v any) (string, error) {
	switch reflect.ValueOf(v).Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
		if text := fmt.Sprint(v); len(text) <= maxRendered {
			return text, nil
		}
		return "", errors.New("the value is too long")
	}
	return "", errors.New("the value must be a string, a number or a boolean")
}

func query(v any) (string, error) {
	text, err := scalar(v)
	return url.QueryEscape(text), err
}

// printf is fmt.Sprintf for values that a template may print.
func printf(format string, args ...any) (string, error) {
	for _, arg := range args {
		if _, err := scalar(arg); err != nil {
			return "", err
		}
	}
	text := fmt.Sprintf(format, args...)
	switch {
	case strings.Contains(text, "%!"):
		return "", errors.New("printf: verbs and values do not match")
	case len(text) > maxRendered: // a template can pass what it printed to printf again
		return "", errors.New("printf: the text is too long")
	}
	return text, nil
}

// index looks up keys. Unlike the built-in function, it fails if one is missing.
func index(in any, keys ...string) (any, error) {
	for _, key := range keys {
		var ok bool
		switch from := in.(type) {
		case map[string]any:
			in, ok = from[key]
		case map[string]string:
			in, ok = from[key]
		}
		if !ok {
			return nil, errors.New("index: no such key") // without the key, which may be a secret
		}
	}
	return in, nil
}

// body fills in the body of a route, each string in which is a template, or returns nil if there is
// none. It is encoded afterward, so that a value cannot extend beyond its string.
func (s settings) body(object json.RawMessage) ([]byte, error) {
	object = bytes.TrimSpace(object)
	if len(object) == 0 || string(object) == "null" {
		return nil, nil
	}
	var content map[string]any
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	if err := d.Decode(&content); err != nil {
		return nil, unavailable("plugin.json: body must be an object")
	}
	filled, err := s.fill(content)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(filled); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

func (s settings) fill(v any) (_ any, err error) {
	switch v := v.(type) {
	case string:
		return s.render("body", v)
	case []any:
		for i := range v {
			if v[i], err = s.fill(v[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for key := range v {
			if v[key], err = s.fill(v[key]); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}
