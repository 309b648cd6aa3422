package rules

import (
	"io/fs"
	"path"
	"strings"
)

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
