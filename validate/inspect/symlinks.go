package inspect

import (
	"cmp"
	"errors"
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

var errTooManyLinks = errors.New("too many symbolic links")

// follow resolves the symbolic links of a path below root, as far as the file system
// supports them, and describes what the path leads to. The error is ErrOutside if a link
// leads out of root.
func follow(fsys fs.FS, root, name string) (resolved string, info fs.FileInfo, err error) {
	at, rest := root, Below(root, name)
	for links := 0; rest != ""; {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		next := path.Join(at, part)
		if info, err = fs.Lstat(fsys, next); err != nil {
			return "", nil, err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			at = next
			continue
		}
		if links++; links > maxLinks {
			_, err = fs.Stat(fsys, next) // words it as the system does
			return "", nil, cmp.Or(err, errTooManyLinks)
		}
		target, err := fs.ReadLink(fsys, next)
		if err != nil {
			return "", nil, err
		}
		next = path.Join(at, target)
		if path.IsAbs(target) || !IsInside(root, next) {
			return "", nil, ErrOutside
		}
		at, rest = root, path.Join(Below(root, next), rest)
	}
	if info == nil || info.Mode()&fs.ModeSymlink != 0 { // root, or a link to it
		info, err = fs.Stat(fsys, at)
	}
	return at, info, err
}
