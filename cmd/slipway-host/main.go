// Command slipway-host runs the verbs that run plugins or read them as a host does: host, dev, preview,
// conformance and plugins. Users run it as slipway, which finds it and runs it.
package main

import (
	"os"

	"github.com/slipway-dev/slipway/cmd/internal/command"
	"github.com/slipway-dev/slipway/cmd/internal/verbs"
)

func main() { command.Main(newProgram) }

// newProgram returns the program with the hosted verbs of the table.
func newProgram(face verbs.Face, stdout, stderr *os.File) command.Program {
	return command.Program{
		Verbs: []verbs.Verb{hostVerb(), devVerb(), previewVerb(), conformanceVerb(), pluginsVerb()},
		Face:  face, Stdin: os.Stdin, Stdout: stdout, Stderr: stderr,
	}
}
