package proxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/template"
	"text/template/parse"
)

const (
	maxTemplate = 16 << 10 // bytes of a template
	maxRendered = 64 << 10 // bytes of its output
	mark        = "\x00"   // surrounds each value in the output
)

// settings are the values that templates refer to: {{ .JsonData.x }},
// {{ .SecureJsonData.y }} and {{ .URL }}.
type settings struct {
	URL            string
	JsonData       map[string]any // plugins use these names
	SecureJsonData map[string]string
}

// newSettings decodes jsonData. Numbers keep their spelling. Keys with null are dropped,
// so that no template prints null.
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
		"urlquery": query, "printf": printf, "index": index, "value": value, "escaped": escaped,
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

// limited is a buffer of limited size.
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
