package inspect

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/script"
)

// Code is a file of the source of a frontend or backend.
type Code struct {
	Name string // slash path in the tree
	Data []byte // nil if Err is set
	Err  error

	positions func(offset int) bundle.Position // of Data; nil until it is needed
}

// Place returns the position of the bytes from..to, and registers the text of the file.
func (c *Code) Place(p *validate.Pass, from, to int) validate.Place {
	if c.positions == nil {
		c.positions = bundle.Positions(c.Data)
	}
	p.Source(c.Name, c.Data)
	return placeOf(c.Name, c.positions, from, to)
}

// Script is a file of the source of a frontend.
type Script struct {
	*script.File
	Name string // slash path in the tree

	code *Code
}

// At returns the position of the tokens from first to last.
func (s *Script) At(p *validate.Pass, first, last int) validate.Place {
	return s.Place(p, s.Between(first, last))
}

// Place returns the position of a span.
func (s *Script) Place(p *validate.Pass, span script.Span) validate.Place {
	return s.code.Place(p, span.From, span.To)
}

// MatchStrings returns the matches of an expression in the strings and templates of the file.
func (s *Script) MatchStrings(re *regexp.Regexp) (all []script.Span) {
	for _, t := range s.Tokens {
		if t.Kind == script.String || t.Kind == script.Template {
			all = append(all, s.match(re, script.Span{From: t.From, To: t.To})...)
		}
	}
	return all
}

// MatchComments returns the matches of an expression in the comments.
func (s *Script) MatchComments(re *regexp.Regexp) (all []script.Span) {
	for _, c := range s.Comments {
		all = append(all, s.match(re, c)...)
	}
	return all
}

// match returns the matches in a span: what the last group matches, or else the whole match.
func (s *Script) match(re *regexp.Regexp, in script.Span) (all []script.Span) {
	for _, m := range re.FindAllSubmatchIndex(s.Data[in.From:in.To], -1) {
		group := m[len(m)-2:]
		all = append(all, script.Span{From: in.From + group[0], To: in.From + group[1]})
	}
	return all
}

// maxCodeBytes is the size beyond which a file of code is not read, and maxAllCodeBytes that
// of all of them.
const (
	maxCodeBytes    = 4 << 20
	maxAllCodeBytes = 64 << 20
)

// frontend holds the code of the frontend: TypeScript, JavaScript and JSX next to
// plugin.json and below, without tests.
type frontend struct {
	code    []Code
	parsed  map[string]parsed
	bundled func() map[string]bool
}

type parsed struct {
	file *script.File
	err  error
}

var frontends = validate.NewFact(func(p *validate.Pass) *frontend {
	isScript := func(name string) bool {
		base := path.Base(name)
		stem := strings.TrimSuffix(base, path.Ext(base))
		return slices.Contains(script.Extensions(), path.Ext(base)) && !slices.Contains([]string{".test", ".spec", ".mock", ".min"}, path.Ext(stem))
	}
	f := &frontend{code: readCode(p, p.Dir, isScript), parsed: map[string]parsed{}}
	f.bundled = sync.OnceValue(func() map[string]bool { return bundled(p, f.code) })
	return f
})

// EachTypeScript calls check with every TypeScript file that a bundle may contain and that contains one of
// the words. A file that cannot be read is a skip. Nested plugins belong to the outer one.
func EachTypeScript(p *validate.Pass, check func(*Script), words ...string) {
	eachScript(p, check, script.IsTypeScript, words)
}

// EachScript is EachTypeScript for JavaScript as well, which is often not the author's.
func EachScript(p *validate.Pass, check func(*Script), words ...string) {
	eachScript(p, check, isAny, words)
}

func isAny(string) bool { return true }

func eachScript(p *validate.Pass, check func(*Script), isWanted func(name string) bool, words []string) {
	eachFrontend(p, func(c *Code) {
		if s := readScript(p, c); s != nil {
			check(s)
		}
	}, isWanted, words)
}

func eachFrontend(p *validate.Pass, check func(*Code), isWanted func(name string) bool, words []string) {
	if p.IsNested {
		return
	}
	all := frontends.Of(p)
	for i := range all.code {
		c := &all.code[i]
		if isWanted(c.Name) && (all.bundled() == nil || all.bundled()[c.Name]) && mayConcern(p, c, words) {
			check(c)
		}
	}
}

// EachWithText calls check with each file that contains a text: code that a bundle may contain, and what browsers and
// people read, but not plugin.json.
func EachWithText(p *validate.Pass, text string, check func(*Code)) {
	if p.Where == validate.Source { // a bundler has read what is built
		eachFrontend(p, check, isAny, []string{text})
	}
	isRead := func(name string) bool {
		return path.Base(name) != bundle.MetadataFile && slices.Contains([]string{".json", ".css", ".scss", ".sass", ".less", ".svg", ".html", ".md"}, path.Ext(name))
	}
	for _, c := range readCode(p, p.Dir, isRead) {
		if mayConcern(p, &c, []string{text}) {
			check(&c)
		}
	}
}

// readScript returns a file as tokens. One that cannot be read is nil and a skip.
func readScript(p *validate.Pass, c *Code) *Script {
	known := frontends.Of(p).parsed
	f, ok := known[c.Name]
	if !ok {
		f.file, f.err = script.Parse(c.Name, c.Data)
		known[c.Name] = f
	}
	if f.err != nil {
		skipScript(p, c, f.err)
		return nil
	}
	return &Script{File: f.file, Name: c.Name, code: c}
}

func skipScript(p *validate.Pass, c *Code, err error) {
	if e, ok := errors.AsType[*script.Error](err); ok {
		p.Skipf("cannot read %s: %s", c.Place(p, e.Offset, e.Offset).Address(), e.Problem)
	}
}

// mayConcern reports whether a file contains one of the words, so that most files need not be
// parsed. A file that was not read is a skip.
func mayConcern(p *validate.Pass, c *Code, words []string) bool {
	if c.Err != nil {
		p.Skipf("cannot read %s: %v", c.Name, c.Err)
		return false
	}
	return slices.ContainsFunc(words, func(word string) bool { return bytes.Contains(c.Data, []byte(word)) })
}

// readCode reads the files below dir that isCode accepts. It leaves out the directories of
// tools, tests and builds, and symbolic links.
func readCode(p *validate.Pass, dir string, isCode func(name string) bool) []Code {
	others := []string{bundle.DistDir, "build", "test", "tests", "mocks", "e2e", "cypress"}
	var all []Code
	left := int64(maxAllCodeBytes)
	var walk func(dir string, depth int)
	walk = func(dir string, depth int) {
		const maxDepth = 32
		if depth > maxDepth {
			return
		}
		entries, _ := fs.ReadDir(p.FS, dir) // a directory that cannot be listed has no code
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			if e.IsDir() {
				if !bundle.IsToolDir(e.Name()) && !slices.Contains(others, e.Name()) {
					walk(name, depth+1)
				}
				continue
			}
			if !e.Type().IsRegular() || !isCode(name) {
				continue
			}
			if left < 0 {
				return
			}
			c := Code{Name: name}
			c.Data, c.Err = ReadFile(p, dir, name, maxCodeBytes)
			if left -= int64(len(c.Data)); left < 0 {
				c.Data, c.Err = nil, fmt.Errorf("it and the files after it are beyond the first %d MiB", maxAllCodeBytes>>20)
			}
			all = append(all, c)
		}
	}
	walk(dir, 0)
	return all
}

// PluginOf returns the plugin.json of the plugin to which a file of the frontend belongs: the nearest one.
func PluginOf(p *validate.Pass, file string) *bundle.Document {
	for dir := path.Dir(file); dir != p.Dir; dir = path.Dir(dir) {
		if doc, ok := p.Document(path.Join(dir, bundle.MetadataFile)); ok && doc != nil {
			return doc
		}
	}
	return p.Doc
}

// MembersOf yields the members, with a value or a body, of the class whose "extends" is the token at an index.
func (s *Script) MembersOf(extends int) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		open, depth := extends, 0
		for ; open < len(s.Tokens) && (depth > 0 || !s.Is(open, "{")); open++ { // of type parameters
			depth += strings.Count(s.Text(open), "<") - strings.Count(s.Text(open), ">")
		}
		if open == len(s.Tokens) {
			return
		}
		for i := open + 1; i < s.Tokens[open].Pair; i++ {
			if s.Tokens[i].Kind == script.Name && s.Is(i+1, "=", "(", ":") && !s.Is(i-1, ".", "?.") && !yield(s.Text(i), i) {
				return
			}
			if s.Is(i, "{", "(", "[") && s.Tokens[i].Pair > i {
				i = s.Tokens[i].Pair
			}
		}
	}
}

// ExportsOfEntry returns the names that module.ts or module.tsx exports, and the place where the file begins.
// ok is false without such a file, and if it exports names that only other files tell.
func ExportsOfEntry(p *validate.Pass) (names map[string]bool, place func() validate.Place, ok bool) {
	isEntry := func(name string) bool {
		return name == path.Join(p.Dir, "module.ts") || name == path.Join(p.Dir, "module.tsx")
	}
	eachScript(p, func(s *Script) {
		names, ok = s.exports()
		place = func() validate.Place { return s.At(p, 0, 0) }
	}, isEntry, []string{""})
	return names, place, ok
}

// exports returns the names that a file exports. ok is false if they are not all known.
func (s *Script) exports() (names map[string]bool, ok bool) {
	names = map[string]bool{}
	for i := range s.Tokens {
		switch {
		case s.Is(i, "exports") || s.Is(i, "module") && s.Is(i+1, ".") || s.Is(i, "define") && s.Is(i+1, "("):
			return nil, false
		case !s.Is(i, "export") || s.Is(i-1, ".", "?."):
		case s.Is(i+1, "*", "=", "import"), s.Is(i+2, "{", "["): // of another module, or in a pattern
			return nil, false
		case s.Is(i+1, "{"):
			for j := i + 2; j < s.Tokens[i+1].Pair; j++ {
				if s.Is(j+1, ",", "}") {
					names[s.Text(j)] = true
				}
			}
		default: // a declaration
			name := i + 1
			for s.Is(name, "async", "abstract", "declare", "const", "let", "var", "function", "class", "enum", "type", "interface", "namespace") {
				name++
			}
			if name >= len(s.Tokens) || s.Tokens[name].Kind != script.Name {
				return nil, false // the bundler reports it
			}
			names[s.Text(name)] = true
		}
	}
	return names, len(s.Tokens) > 0
}
