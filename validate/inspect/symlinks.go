package inspect

import (
	"io/fs"
	"path"
	"strings"
)

// IsInside reports whether a clean slash path is root or lies below it.
func IsInside(root, name string) bool {
	if root == "." {
		return name != ".." && !strings.HasPrefix(name, "../")
	}
	return name == root || strings.HasPrefix(name, root+"/")
}

// Below returns the path from root to name, which lies below it.
func Below(root, name string) string {
	if root == "." && name != "." {
		return name
	}
	return strings.TrimPrefix(strings.TrimPrefix(name, root), "/")
}

// maxLinks is the number of symbolic links after which a path is taken for a cycle.
const maxLinks = 40

// follow resolves the symbolic links of a path below root, as far as the file system
// supports them. ok is false if one leads out of root.
func follow(fsys fs.FS, root, name string) (resolved string, ok bool) {
	at, rest := root, Below(root, name)
	for links := 0; rest != ""; {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		next := path.Join(at, part)
		target, err := readLink(fsys, next)
		if err != nil || links == maxLinks {
			return path.Join(next, rest), true // fs.Stat returns the error
		}
		if target == "" {
			at = next
			continue
		}
		links++
		next = path.Join(at, target)
		if path.IsAbs(target) || !IsInside(root, next) {
			return "", false
		}
		at, rest = root, path.Join(Below(root, next), rest)
	}
	return at, true
}

// readLink returns the target of a symbolic link, or "" if name is not one.
func readLink(fsys fs.FS, name string) (string, error) {
	info, err := fs.Lstat(fsys, name)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return "", err
	}
	return fs.ReadLink(fsys, name)
}
