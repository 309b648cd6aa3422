package fix

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/internal/atomicfile"
	"github.com/slipway-dev/slipway/validate"
)

// ErrChanged is the error for a file that has changed since it was read.
var ErrChanged = errors.New("the file has changed since it was read; run again")

// Write applies the changes to a directory and keeps the modes of files. Each file is
// replaced as a whole. Write returns the changes that it applied, and a broken skip for
// each file that it could not write, which is unchanged.
func Write(root *os.Root, changes []Change) (written []Change, failed []validate.Skip) {
	for _, c := range changes {
		if err := c.write(root); err != nil {
			failed = append(failed, validate.Skip{File: c.File, Reason: fmt.Sprintf("not fixed: %v", tree.Cause(err)), IsBroken: true})
			continue
		}
		written = append(written, c)
	}
	return written, failed
}

func (c *Change) write(root *os.Root) error {
	info, err := atomicfile.Stat(root, c.File)
	if err != nil {
		return err
	}
	mode := info.Mode().Perm()
	if c.MakeExecutable {
		mode = executable(mode)
	}
	if c.isOnlyMode() {
		return root.Chmod(c.File, mode)
	}
	if now, err := root.ReadFile(c.File); err != nil || !bytes.Equal(now, c.Before) {
		return errors.Join(err, ErrChanged)
	}
	return atomicfile.WriteIn(root, c.File, mode, c.After)
}

// Diff returns the changes as a unified diff in the format of git, for git apply and
// patch -p1. It prepends the prefix to the names of files.
func Diff(changes []Change, prefix string) []byte {
	var b bytes.Buffer
	for _, c := range changes {
		name := path.Join(prefix, c.File)
		fmt.Fprintf(&b, "diff --git a/%s b/%[1]s\n", name)
		if c.MakeExecutable {
			b.WriteString("old mode 100644\nnew mode 100755\n")
		}
		old := "a/" + name
		if c.Before == nil && c.After != nil {
			b.WriteString("new file mode 100644\n")
			old = "/dev/null"
		}
		text := diff.Diff(old, c.Before, "b/"+name, c.After)
		if _, hunks, ok := bytes.Cut(text, []byte("\n")); ok { // the first line has another format of names
			b.Write(hunks)
		}
	}
	return b.Bytes()
}
