package validate

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/slipway-dev/slipway/bundle/tree"
)

// UnreadableFile is the rule that the engine itself reports for files that it does not
// read: symbolic links out of the repository or of the built plugin, named pipes, sockets
// and devices, and each plugin.json that cannot be opened.
const UnreadableFile = "unreadable-file"

// Unreadable returns the documentation of UnreadableFile. It is not one of the rules that
// run: the engine reports a file when it refuses to read it, whichever rule needs the file.
func Unreadable() Rule {
	return Rule{
		ID:       UnreadableFile,
		Severity: Error,
		Summary:  "symbolic link out of the repository or the plugin, named pipe, socket or device; plugin.json that cannot be opened",
		Why: "What such a file contains depends on the machine, and the author of a pull request could make a report print the secrets of " +
			"the machine that " +
			"validates it. The file is not read, so checks that need it do not run. This finding cannot be turned off or suppressed.",
		Help: "replace it with a regular file",
	}
}

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
		Message: fmt.Sprintf("%s is not read: %v", path.Base(r.file), tree.Cause(r.err)), Help: Unreadable().Help,
	}
	switch {
	case errors.Is(r.err, fs.ErrPermission):
		f.Help = "let the user that validates the plugin read it"
	case errors.Is(r.err, fs.ErrNotExist):
		f.Message = fmt.Sprintf("%s is not read: it is a symbolic link to a file that does not exist", path.Base(r.file))
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
