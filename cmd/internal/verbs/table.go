package verbs

import (
	"context"
	_ "embed" // help.txt
	"io"
	"os"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// A Verb is a row of the table that every face is made from: the commands and flags of the
// programs, the functions in package targets, which Mage calls, and doc/commands.md. Nothing
// declares an option a second time.
type Verb struct {
	Name    string // "scaffold update" is a verb below scaffold
	Args    []Arg
	Short   string // begins with a verb, as in "Check the code"; help.txt has the rest
	Options []Option
	Mage    string // the package with its Mage function: Targets, Workflow, or "" for none
	Aliases []Alias

	Asks     bool // Run asks for required arguments that are missing
	IsHosted bool // it is part of the program slipway-host
	IsHidden bool // it is not listed

	Face *Face // where Run finds how messages spell options; nil if they name none
	// Run runs the verb. It is nil in the table for the verbs of slipway-host.
	Run func(ctx context.Context, c Call) error
}

// An Alias is another Mage function of a verb, in the package Workflow.
type Alias struct {
	Name    string   // such as Coverage, or Scaffold.New in a namespace
	Short   string   // what it does, as in "runs the tests"
	Set     []string // options that it sets
	Options []string // names of options that it has
}

// The packages with Mage functions.
const (
	targets  = "targets"
	workflow = "targets/workflow" // names that workflows of Grafana's SDK use
)

// An Arg is an argument. The required ones come first.
type Arg struct {
	Name       string
	Value      *string
	Values     *[]string // of the last argument, if there may be several; nil otherwise
	IsRequired bool      // Mage passes only these as arguments
	Option     string    // the option of an optional argument under Mage; "" has none
	Help       string    // of that option
}

// An Option is an option of a verb.
type Option struct {
	Name     string // in words joined by hyphens; Mage joins them in camel case
	Short    string // a letter, or ""
	Value    any    // *string, *bool, **bool, *time.Duration, *[]string or *Paths; what it points to is the default
	Help     string
	IsNoMage bool // Mage does not have it
}

// Paths are the values of an option that may be repeated. They may contain commas.
type Paths []string

// A Call is one run of a verb, besides its options.
type Call struct {
	Face          Face // also in Verb.Face
	Stdin, Stdout *os.File
	Stderr        io.Writer
	Usage         string // the usage line of the verb
}

// Usage returns the name and the arguments, such as "explain <rule>".
func (v Verb) Usage() string {
	words := []string{v.Name[strings.LastIndexByte(v.Name, ' ')+1:]}
	for _, a := range v.Args {
		switch {
		case a.IsRequired:
			words = append(words, "<"+a.Name+">")
		case a.Values != nil:
			words = append(words, "["+a.Name+"...]")
		default:
			words = append(words, "["+a.Name+"]")
		}
	}
	return strings.Join(words, " ")
}

//go:embed help.txt
var helpText []byte

// Help returns the description of a verb, or "", and examples, from help.txt.
func (v Verb) Help() (long, examples string) {
	for _, f := range txtar.Parse(helpText).Files {
		if f.Name == v.Name {
			long, examples, _ = strings.Cut("\n"+strings.TrimRight(string(f.Data), "\n"), "\nExamples:\n")
		}
	}
	return strings.Trim(long, "\n"), examples
}

// All returns the table, in the order of the help.
func All(b Bundler) []Verb {
	return slices.Concat([]Verb{
		scaffoldVerb(), updateVerb(), initVerb(), validateVerb(), compatVerb(), rulesVerb(), explainVerb(), schemaVerb(), depsVerb(b), buildVerb(b),
		packageVerb(), verifyVerb(), testVerb(),
	}, dirVerbs(), []Verb{
		ConformanceVerb(&ConformanceOptions{}, nil), PluginsVerb(&PluginsOptions{}, nil),
		HostVerb(&HostOptions{}, nil), DevVerb(&DevOptions{}, nil), PreviewVerb(&PreviewOptions{}, nil), versionVerb(),
	})
}

// The texts of options that several verbs have.
const (
	dirHelp     = "plugin repository (default: that of this directory)"
	profileHelp = "key names in plugin.json: service or grafana (default: derived from the file)"
)

func dirOption(dir *string) Option {
	return Option{Name: "dir", Value: dir, Help: dirHelp}
}

func profileOption(profile *string) Option {
	return Option{Name: "profile", Value: profile, Help: profileHelp}
}
