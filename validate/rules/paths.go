package rules

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

// verdict is what is wrong with a path; each path has at most one.
type verdict int

const (
	pathFine verdict = iota
	pathIsAbsolute
	pathEscapes
	pathIsMissing
)

// asset is a path that plugin.json names and what is wrong with it.
type asset struct {
	pointer string
	text    string
	verdict verdict
	detail  string // what is wrong, to follow the path in a message
}

type assetsKey struct{}

// assets judges every path of the plugin, once for all rules that ask.
func assets(p *validate.Pass) []asset {
	return validate.Fact(p, assetsKey{}, func() []asset {
		var all []asset
		add := func(pointer string, isFile bool) {
			if text, ok := p.Doc.Text(pointer); ok {
				a := asset{pointer: pointer, text: text}
				a.verdict, a.detail = judge(p, text, isFile)
				all = append(all, a)
			}
		}
		add("/info/logos/small", true)
		add("/info/logos/large", true)
		for _, item := range p.Doc.Items("/info/screenshots") {
			add(item+"/path", true)
		}
		for _, item := range p.Doc.Items("/includes") {
			if kind, _ := p.Doc.Text(item + "/type"); kind == "dashboard" {
				add(item+"/path", true)
			}
		}
		add("/executable", false) // the names of the files have an ending for the platform
		return all
	})
}

// judge says what is wrong with a path of the plugin.
func judge(p *validate.Pass, text string, isFile bool) (verdict, string) {
	switch scheme, _, hasScheme := strings.Cut(text, ":"); {
	case hasScheme && len(scheme) == 1 && isLetters(scheme):
		return pathIsAbsolute, "begins with a drive of Windows"
	case hasScheme && isLetters(scheme):
		return pathIsAbsolute, "is an address, not a file of the plugin"
	case strings.HasPrefix(text, "/"):
		return pathIsAbsolute, "begins with a slash"
	case strings.Contains(text, `\`):
		return pathIsAbsolute, `has a backslash, which only Windows takes for a separator`
	}
	name := path.Join(p.Dir, text)
	if !isInside(p.Root, name) {
		return pathEscapes, "leads out of the plugin"
	}
	if !isFile {
		return pathFine, ""
	}
	if text == "" {
		return pathIsMissing, "is empty"
	}
	name, staysInside := follow(p.FS, p.Root, name)
	if !staysInside {
		return pathEscapes, "is a symbolic link out of the plugin"
	}
	info, err := fs.Stat(p.FS, name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid):
		return pathIsMissing, "leads to no file"
	case err != nil:
		return pathIsMissing, "cannot be opened: " + err.Error()
	case info.IsDir():
		return pathIsMissing, "leads to a folder"
	}
	return pathFine, ""
}

// isInside says whether a clean slash path lies in root.
func isInside(root, name string) bool {
	if root == "." {
		return name != ".." && !strings.HasPrefix(name, "../")
	}
	return name == root || strings.HasPrefix(name, root+"/")
}

// maxLinks is the number of symbolic links after which a path goes in circles.
const maxLinks = 40

// follow resolves the symbolic links of a path below root, where the tree tells
// of them. ok is false if one leads out of root.
func follow(fsys fs.FS, root, name string) (resolved string, ok bool) {
	at, rest := root, below(root, name)
	for links := 0; rest != ""; {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		next := path.Join(at, part)
		target, err := readLink(fsys, next)
		if err != nil || links == maxLinks {
			return path.Join(next, rest), true // fs.Stat says what is wrong
		}
		if target == "" {
			at = next
			continue
		}
		links++
		next = path.Join(at, target)
		if path.IsAbs(target) || !isInside(root, next) {
			return "", false
		}
		at, rest = root, path.Join(below(root, next), rest)
	}
	return at, true
}

// readLink returns where a symbolic link leads, "" if name is none.
func readLink(fsys fs.FS, name string) (string, error) {
	info, err := fs.Lstat(fsys, name)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return "", err
	}
	return fs.ReadLink(fsys, name)
}

// below returns the part of a path in root that follows root.
func below(root, name string) string {
	if root == "." && name != "." {
		return name
	}
	return strings.TrimPrefix(strings.TrimPrefix(name, root), "/")
}

func isLetters(s string) bool {
	return s != "" && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz") == ""
}
