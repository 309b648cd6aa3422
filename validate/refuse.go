package validate

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/slipway-dev/slipway/validate/tree"
)

// UnreadableFile is the rule that the engine itself reports for files that it does not
// read: symbolic links out of the repository or of the built plugin, named pipes, sockets
// and devices.
const UnreadableFile = "unreadable-file"

// refusal is a file that is not read.
type refusal struct {
	file string
	err  error // see Pass.Refuse

	isExtra bool // nothing is known to need the file
}

// finding returns the finding for a file of a plugin of some form. It contains nothing
// that the file contains.
func (r refusal) finding(where Where) Finding {
	f := Finding{
		Rule: UnreadableFile, Severity: Error, Place: Place{File: r.file},
		Message: fmt.Sprintf("%s is not read: %v", path.Base(r.file), cause(r.err)), Help: "replace it with a regular file",
	}
	if errors.Is(r.err, tree.ErrOutside) {
		left := "repository"
		if where&(Dist|Zip) != 0 {
			left = "plugin"
		}
		f.Message = fmt.Sprintf("%s is not read: it is a symbolic link that leaves the %s", path.Base(r.file), left)
		if where == Source && r.isExtra {
			f.Severity = Warning
		}
		f.Help = "replace the link with a copy of what it points to"
	}
	return f
}

// cause returns the error without the operation or path.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// withoutNamed removes the refused files that plugin.json names if another finding
// reports the path there.
func (p *Pass) withoutNamed(findings []Finding) []Finding {
	if p.Doc == nil || len(p.refused) == 0 {
		return findings
	}
	named := map[string]bool{}
	for _, f := range findings {
		if text, ok := p.Doc.Text(f.Pointer); ok && f.File == p.File && f.Rule != UnreadableFile {
			named[path.Join(p.Dir, text)] = true
		}
	}
	return slices.DeleteFunc(findings, func(f Finding) bool { return f.Rule == UnreadableFile && named[f.File] })
}
