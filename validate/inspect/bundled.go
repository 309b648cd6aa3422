package inspect

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/script"
)

// bundled returns which files of a frontend a bundle may contain: the entries, files that the configuration of a
// bundler mentions, and what they import. It is nil if that is not known. Names are compared generously, since aliases
// are not resolved: a file too many has findings that somebody can suppress, a file too few looks like one that passed.
func bundled(p *validate.Pass, all []Code) map[string]bool {
	if p.IsCatalog { // which looks at every file
		return nil
	}
	r := reach{files: map[string]bool{}, byPath: map[string][]*Code{}, byName: map[string][]*Code{}, seen: map[string]bool{}}
	entries := []string{path.Join(p.Dir, "module"), path.Join(p.Dir, "src", "module")}
	for _, file := range Nested(p) {
		entries = append(entries, path.Join(path.Dir(file), "module"))
	}
	for i := range all {
		c := &all[i]
		at := withoutExtension(c.Name)
		r.add(strings.ToLower(at), c) // on some systems, another case is the same file
		if slices.Contains(entries, at) {
			r.next = append(r.next, c)
		}
	}
	if len(r.next) == 0 {
		return nil
	}
	r.follow()
	if len(r.files) < len(all) {
		r.configured(p, all)
		r.follow()
	}
	if r.lookups > maxLookups {
		return nil
	}
	return r.files
}

// maxLookups limits the imports that name no file of code, such as a picture or a directory.
const maxLookups = 1000

// reach finds the files that others import.
type reach struct {
	files          map[string]bool
	byPath, byName map[string][]*Code // without extension; an index has the path of its directory as well
	next           []*Code
	seen           map[string]bool
	lookups        int
}

func withoutExtension(name string) string {
	if slices.Contains(script.Extensions(), path.Ext(name)) {
		return strings.TrimSuffix(name, path.Ext(name))
	}
	return name
}

func (r *reach) add(at string, c *Code) {
	r.byPath[at] = append(r.byPath[at], c)
	if dir, isIndex := strings.CutSuffix(at, "/index"); isIndex {
		at = dir
		r.byPath[at] = append(r.byPath[at], c)
	}
	r.byName[path.Base(at)] = append(r.byName[path.Base(at)], c)
}

func (r *reach) follow() {
	for len(r.next) > 0 {
		c := r.next[len(r.next)-1]
		r.next = r.next[:len(r.next)-1]
		if r.files[c.Name] {
			continue
		}
		r.files[c.Name] = true
		for _, quoted := range []string{"'.", `".`, "`."} {
			eachAfter(c.Data, quoted, func(rest []byte) {
				text, isCut := textUpTo(rest, quoted[0])
				r.relative(path.Dir(c.Name), "."+text, isCut)
			})
		}
		for _, word := range []string{"from", "import", "require"} {
			eachAfter(c.Data, word, func(rest []byte) {
				rest = bytes.TrimLeft(rest, " \t\r\n(")
				if bytes.HasPrefix(rest, []byte("/*")) {
					_, rest, _ = bytes.Cut(rest, []byte("*/"))
					rest = bytes.TrimLeft(rest, " \t\r\n")
				}
				if len(rest) > 1 && strings.IndexByte("'\"`", rest[0]) >= 0 && rest[1] != '.' {
					text, _ := textUpTo(rest[1:], rest[0])
					name := path.Base(strings.TrimSuffix(strings.ToLower(withoutExtension(text)), "/index"))
					r.visit(r.byName[name])
					delete(r.byName, name)
				}
			})
		}
	}
}

func eachAfter(data []byte, text string, do func(rest []byte)) {
	for found := true; found; {
		if _, data, found = bytes.Cut(data, []byte(text)); found {
			do(data)
		}
	}
}

// textUpTo returns a string up to its end, or to what an expression or a pattern replaces.
func textUpTo(data []byte, quote byte) (text string, isCut bool) {
	const maxBytes = 300
	data = data[:min(len(data), maxBytes)]
	if end := bytes.IndexAny(data, string(quote)+"$*\n"); end >= 0 {
		return string(data[:end]), data[end] == '$' || data[end] == '*'
	}
	return string(data), false
}

// relative visits a file, or else all whose names begin with the text, as those of a directory do.
func (r *reach) relative(dir, text string, isCut bool) {
	if text != "." && text != ".." && !strings.HasPrefix(text, "./") && !strings.HasPrefix(text, "../") {
		return
	}
	at := strings.ToLower(path.Join(dir, withoutExtension(text)))
	if known := r.byPath[at]; known != nil {
		r.visit(known)
		return
	}
	isOther := len(path.Ext(text)) > 1 || strings.Trim(text, "./") == "" && !isCut // another kind of file, or no file
	if r.seen[at] || isOther {
		return
	}
	r.seen[at] = true
	if r.lookups++; r.lookups > maxLookups {
		return
	}
	for name, known := range r.byPath {
		if strings.HasPrefix(name, at) {
			r.visit(known)
		}
	}
}

func (r *reach) visit(known []*Code) {
	for _, c := range known {
		if !r.files[c.Name] {
			r.next = append(r.next, c)
		}
	}
}

// configured visits the files that the configuration of the repository's bundler mentions.
func (r *reach) configured(p *validate.Pass, all []Code) {
	for _, name := range []string{"slipway.yaml", "tsconfig.json", "webpack.config.ts", "webpack.config.js", "rspack.config.ts",
		"rspack.config.js", "rollup.config.js", "rollup.config.mjs", "vite.config.ts", "vite.config.js"} {
		const maxBytes = 64 << 10
		text, err := ReadFile(p, home(p), path.Join(home(p), name), maxBytes)
		if err != nil {
			continue
		}
		for i := range all {
			at := withoutExtension(all[i].Name)
			if path.Base(at) == "index" {
				at = path.Dir(at)
			}
			if bytes.Contains(text, []byte(tree.Below(home(p), at))) || bytes.Contains(text, []byte("./"+tree.Below(p.Dir, at))) {
				r.next = append(r.next, &all[i])
			}
		}
	}
}
