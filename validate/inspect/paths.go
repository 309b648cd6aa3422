package inspect

import (
	"errors"
	"io/fs"
	"path"
	"runtime"
	"strings"

	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/validate"
)

// Verdict is what is wrong with a path. A path has at most one.
type Verdict int

// The verdicts.
const (
	PathFine Verdict = iota
	PathAbsolute
	PathEscapes
	PathMissing
	PathOtherCase
)

// Asset is a path in plugin.json and what is wrong with it.
type Asset struct {
	Pointer string
	Text    string
	Verdict Verdict
	Problem string // for a message, to follow the path
	File    string // the file it names, if the path is fine
	Meant   string // the path as it should be written, if known
}

// Assets holds every path of the plugin.
var Assets = validate.NewFact(func(p *validate.Pass) []Asset {
	var all []Asset
	add := func(pointer string, isFile bool) {
		if text, ok := p.Doc.Text(pointer); ok {
			a := Asset{Pointer: pointer}
			a.Text = Resolved(p, text)
			a.Verdict, a.Problem = judge(p, a.Text, isFile)
			a.resolve(p, isFile)
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
	add("/executable", false) // the file names end with a platform
	return all
})

// resolve finds the file that the path names or was meant to name.
func (a *Asset) resolve(p *validate.Pass, isFile bool) {
	switch {
	case a.Verdict == PathAbsolute && !strings.Contains(a.Text, ":"):
		relative := path.Clean(strings.TrimLeft(strings.ReplaceAll(a.Text, `\`, "/"), "/"))
		if v, _ := judge(p, relative, true); v == PathFine {
			a.Meant = relative
		}
	case isFile && (a.Verdict == PathMissing || a.Verdict == PathFine && ignoresCase(runtime.GOOS)):
		name := path.Join(p.Dir, a.Text)
		actual := Spelling(p, name)
		if a.Text == "" || actual == "" || actual == name {
			break
		}
		if info, err := fs.Stat(p.FS, actual); err == nil && !info.IsDir() {
			a.Verdict, a.Meant = PathOtherCase, Relative(p.Dir, actual)
		}
	}
	if a.Verdict == PathFine && isFile {
		a.File = path.Join(p.Dir, a.Text)
	}
}

// ignoresCase reports whether file systems of the OS usually ignore the case of names.
func ignoresCase(os string) bool { return os == "windows" || os == "darwin" }

// Spelling returns the one path in the root of the plugin that equals name if case is
// ignored, or "" if there is none or more than one.
func Spelling(p *validate.Pass, name string) string {
	at := p.Root
	for part := range strings.SplitSeq(tree.Below(p.Root, name), "/") {
		entries, err := fs.ReadDir(p.FS, at)
		if err != nil {
			return ""
		}
		var like []string
		for _, e := range entries {
			if e.Name() == part {
				like = []string{part}
				break
			}
			if strings.EqualFold(e.Name(), part) {
				like = append(like, e.Name())
			}
		}
		if len(like) != 1 {
			return ""
		}
		at = path.Join(at, like[0])
	}
	return at
}

// Relative returns the path from a directory to a file. Both are clean slash paths in
// one tree.
func Relative(dir, name string) string {
	up := ""
	for dir != "." && name != dir && !strings.HasPrefix(name, dir+"/") {
		dir, up = path.Dir(dir), up+"../"
	}
	return up + tree.Below(dir, name)
}

// judge checks a path of the plugin. For a file, it must exist.
func judge(p *validate.Pass, text string, isFile bool) (verdict Verdict, problem string) {
	switch scheme, _, hasScheme := strings.Cut(text, ":"); {
	case hasScheme && len(scheme) == 1 && isLetters(scheme):
		return PathAbsolute, "begins with a Windows drive letter"
	case hasScheme && isLetters(scheme):
		return PathAbsolute, "is a URL, not a file of the plugin"
	case strings.HasPrefix(text, "/"):
		return PathAbsolute, "begins with a slash"
	case strings.Contains(text, `\`):
		return PathAbsolute, "contains a backslash, which separates directories only on Windows"
	}
	name := path.Join(p.Dir, text)
	if !tree.IsInside(p.Root, name) {
		return PathEscapes, "points outside the plugin"
	}
	if !isFile {
		return PathFine, ""
	}
	if text == "" {
		return PathMissing, "is empty"
	}
	info, err := fs.Stat(p.FS, name)
	switch {
	case errors.Is(err, tree.ErrOutside):
		return PathEscapes, "is a symbolic link that leaves the plugin"
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid):
		return PathMissing, "does not exist"
	case err != nil:
		return PathMissing, "cannot be opened: " + err.Error()
	case info.IsDir():
		return PathMissing, "is a directory"
	}
	return PathFine, ""
}

func isLetters(s string) bool {
	return s != "" && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz") == ""
}
