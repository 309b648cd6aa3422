package verbs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
)

// A Face is a way to run the verbs, in which messages name options and commands as users type them.
type Face string

// The faces. The zero Face is Command.
const (
	Command Face = ""     // slipway validate --write-baseline=baseline.json
	Tool    Face = "tool" // go tool slipway validate --write-baseline=baseline.json
	Mage    Face = "mage" // go tool mage validate -writeBaseline=baseline.json
)

// EnvFace is the environment variable with which the module targets tells the program its face.
const EnvFace = "SLIPWAY_FACE"

// TakeFace returns the face in the environment, and removes it for what this process starts.
func TakeFace() Face {
	f := Face(os.Getenv(EnvFace))
	_ = os.Unsetenv(EnvFace) // fails only for invalid names
	if f != Mage && f != Tool {
		return Command
	}
	return f
}

// Option spells the option with the given name, such as "write-baseline".
func (f Face) Option(name string) string {
	if f != Mage {
		return "--" + name
	}
	words := strings.Split(name, "-")
	for i, w := range words[1:] {
		words[i+1] = strings.ToUpper(w[:1]) + w[1:]
	}
	return "-" + strings.Join(words, "")
}

// Help returns the command line that prints the usage of a verb.
func (f Face) Help(verb string) string {
	if f == Mage {
		return "go tool mage -h " + verb
	}
	return f.Verb(verb) + " --help"
}

// Verb returns the command line that runs a verb.
func (f Face) Verb(verb string) string {
	switch f {
	case Mage:
		return "go tool mage " + verb
	case Tool:
		return "go tool slipway " + verb
	}
	return "slipway " + verb
}

// notBuilt returns the error of a verb that needs a built plugin and cannot read it because of err.
func (f Face) notBuilt(verb string, err error) error {
	if errors.Is(err, fs.ErrNotExist) { // which names dist or its plugin.json by an absolute path
		err = errors.New(bundle.DistDir + "/" + bundle.MetadataFile + " does not exist")
	}
	return fmt.Errorf("%s: %w; build the plugin first with %s", verb, err, f.Verb("build"))
}
