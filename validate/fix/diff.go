package fix

import (
	"bytes"
	"fmt"
	"path"

	"github.com/rogpeppe/go-internal/diff"
)

// Diff returns the changes as a unified diff in the form of git, which git apply
// and patch -p1 read. The prefix is put before the names of the files.
func Diff(changes []Change, prefix string) []byte {
	var b bytes.Buffer
	for _, c := range changes {
		name := path.Join(prefix, c.File)
		fmt.Fprintf(&b, "diff --git a/%s b/%[1]s\n", name)
		if c.MakeExecutable {
			b.WriteString("old mode 100644\nnew mode 100755\n")
		}
		text := diff.Diff("a/"+name, c.Before, "b/"+name, c.After)
		if _, hunks, ok := bytes.Cut(text, []byte("\n")); ok { // its first line names the files in another way
			b.Write(hunks)
		}
	}
	return b.Bytes()
}
