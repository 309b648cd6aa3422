package expression

import (
	"math"
	"slices"
)

// tree is a parsed math expression: a constant, a variable, or a function of other trees.
type tree struct {
	variable string
	constant *item
	apply    pointwise
	args     []*tree
	text     string // the operator or function
}

// parser is a Pratt parser of math expressions.
type parser struct {
	text  string
	token token // the next one
	after int   // the offset after it
	depth int
	needs []string // variables

	operators []operator
}

const (
	ternary = 1 // ?: has the lowest precedence
	unary   = 8 // unary operators have the highest
)

// operator is a binary operator.
type operator struct {
	symbol     string
	precedence int
	apply      pointwise
}

// operators returns the binary operators.
func operators() []operator {
	return []operator{
		{"||", 2, two(either)}, {"&&", 3, two(both)},
		{"==", 4, two(equal)}, {"!=", 4, two(unequal)}, {"<", 4, two(less)}, {">", 4, two(greater)}, {"<=", 4, two(atMost)}, {">=", 4, two(atLeast)},
		{"+", 5, two(plus)}, {"-", 5, two(minus)},
		{"*", 6, two(multiply)}, {"/", 6, two(divide)}, {"%", 6, two(math.Mod)},
		{"**", 7, two(math.Pow)},
	}
}

// parse parses a math expression and returns the refIDs that it needs.
func parse(text string) (*tree, []string, error) {
	p := &parser{text: text, operators: operators()}
	if len(text) > maxLength {
		return nil, nil, problemf("split it into several expressions", "expression: longer than %d bytes", maxLength)
	}
	if err := p.advance(); err != nil {
		return nil, nil, err
	}
	t, err := p.expression(ternary)
	if err != nil {
		return nil, nil, err
	}
	if p.token.kind != end {
		return nil, nil, p.unexpected("an operator")
	}
	return t, p.needs, nil
}

func (p *parser) advance() (err error) {
	p.token, p.after, err = next(p.text, p.after)
	return err
}

func (p *parser) unexpected(want string) error {
	if p.token.kind == end {
		return syntaxError(p.text, p.token.at, "complete the expression, or remove the last operator", "expected %s, found the end", want)
	}
	written := p.text[p.token.at:p.after]
	return syntaxError(p.text, p.token.at, "operands are numbers, references such as $A, and functions such as abs($A)", "expected %s, found %q", want, shorten(written))
}

// expect skips a symbol.
func (p *parser) expect(symbol string) error {
	if !p.is(symbol) {
		return p.unexpected(`"` + symbol + `"`)
	}
	return p.advance()
}

func (p *parser) is(text string) bool { return p.token.kind == symbol && p.token.text == text }

// expression parses operators of at least a precedence.
func (p *parser) expression(least int) (*tree, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, syntaxError(p.text, p.token.at, "split it into several expressions", "nested more than %d levels deep", maxDepth)
	}
	defer func() { p.depth-- }()
	left, err := p.operand()
	for err == nil {
		n := slices.IndexFunc(p.operators, func(o operator) bool { return p.is(o.symbol) && o.precedence >= least })
		if n < 0 {
			break
		}
		o := p.operators[n]
		if err := p.advance(); err != nil {
			return nil, err
		}
		right, err := p.expression(o.precedence + 1)
		if err != nil {
			return nil, err
		}
		left = &tree{apply: o.apply, args: []*tree{left, right}, text: o.symbol}
	}
	if err != nil || least > ternary || !p.is("?") {
		return left, err
	}
	return p.choice(left)
}

// choice parses ? and what follows.
func (p *parser) choice(condition *tree) (*tree, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	then, err := p.expression(ternary)
	if err != nil {
		return nil, err
	}
	if err := p.expect(":"); err != nil {
		return nil, err
	}
	otherwise, err := p.expression(ternary)
	if err != nil {
		return nil, err
	}
	return &tree{apply: choose, args: []*tree{condition, then, otherwise}, text: "?:"}, nil
}

func (p *parser) operand() (*tree, error) {
	t := p.token
	switch {
	case t.kind == constant:
		i := number(nil, &t.value)
		return &tree{constant: &i}, p.advance()
	case t.kind == variable:
		p.needs = add(p.needs, t.text)
		return &tree{variable: t.text}, p.advance()
	case t.kind == word:
		return p.call()
	case p.is("("):
		if err := p.advance(); err != nil {
			return nil, err
		}
		inner, err := p.expression(ternary)
		if err != nil {
			return nil, err
		}
		return inner, p.expect(")")
	case p.is("-"), p.is("!"):
		if err := p.advance(); err != nil {
			return nil, err
		}
		arg, err := p.expression(unary)
		apply := one(negative)
		if t.text == "!" {
			apply = one(not)
		}
		return &tree{apply: apply, args: []*tree{arg}, text: t.text}, err
	}
	return nil, p.unexpected("a number, a reference or a function")
}

// call parses a function with its argument.
func (p *parser) call() (*tree, error) {
	name := p.token
	f, ok := function(name.text)
	if !ok {
		return nil, syntaxError(p.text, name.at, "the functions are "+functionNames()+"; a reference starts with $", "function %q not found", shorten(name.text))
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if err := p.expect("("); err != nil {
		return nil, err
	}
	if f.constant != nil {
		return &tree{constant: f.constant}, p.expect(")")
	}
	arg, err := p.expression(ternary)
	if err != nil {
		return nil, err
	}
	return &tree{apply: f.apply, args: []*tree{arg}, text: name.text}, p.expect(")")
}
