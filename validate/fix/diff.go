package fix

import (
	"bytes"
	"fmt"
	"path"

	"github.com/rogpeppe/go-internal/diff"
)

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
