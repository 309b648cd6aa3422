// Package command makes the programs from the table of verbs: their commands and
// flags, the messages of invalid command lines, and what signals do. It knows no verb.
package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/internal/text"
)

// A Program is a program to make from verbs. Its commands are called slipway in messages,
// whatever the program is called, because that is what users run.
type Program struct {
	Verbs         []verbs.Verb
	Face          verbs.Face
	Stdin, Stdout *os.File
	Stderr        io.Writer
	// Forward runs the command line in another program. It is called for verbs without a Run.
	Forward func(ctx context.Context, args []string) error

	args []string
}

// Main runs the program of this process, and exits with its status. At the first signal, the context
// ends. A second signal of the same kind kills the process. Signals of different kinds count as one: on
// Ctrl-C, Mage sends SIGTERM in addition to the SIGINT from the terminal.
func Main(program func(face verbs.Face, stdout, stderr *os.File) Program) {
	face := verbs.TakeFace()
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 3)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		for s := range signals {
			cancel()
			if face == verbs.Tool { // "go tool" sends what the terminal has sent already
				time.Sleep(twice)
			}
			signal.Reset(s)
		}
	}()
	os.Exit(program(face, os.Stdout, os.Stderr).Run(ctx, os.Args[1:]))
}

// twice is longer than the time between a signal of the terminal and its copy.
const twice = 250 * time.Millisecond

// Run runs a command line and returns the exit status.
func (p Program) Run(ctx context.Context, args []string) int {
	p.args = args
	root := p.Root()
	root.SetArgs(args)
	c, err := root.ExecuteContextC(ctx)
	if err == nil {
		return verbs.ExitOK
	}
	first := slices.IndexFunc(args, func(arg string) bool { return !strings.HasPrefix(arg, "-") })
	if _, ok := errors.AsType[*verbs.ExitError](err); !ok && c == root && first >= 0 { // Cobra may know no such command
		err = cmp.Or(p.knownCommand(root, args[first:]), err)
	}
	message := err.Error()
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		message = "interrupted"
	}
	if message != "" {
		fmt.Fprintln(p.Stderr, terminal.Paint(p.Stderr, terminal.Red, "slipway:"), message)
	}
	if exit, ok := errors.AsType[*verbs.ExitError](err); ok {
		return exit.Code
	}
	return verbs.ExitFindings
}

// Root returns the command with all verbs.
func (p Program) Root() *cobra.Command {
	version := verbs.ReadVersion()
	root := &cobra.Command{
		Use:   "slipway",
		Short: "Scaffold, check, build and run plugins of a dashboard service",
		Long: p.fit("Slipway scaffolds, checks, builds and runs plugins of a dashboard service.\n\n" +
			"Exit status: 0 success, 1 errors found or the command failed, 2 invalid usage, 3 the result could not be determined."),
		Version:       version.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(c *cobra.Command, args []string) error {
			if err := p.knownCommand(c, args); err != nil {
				return err
			}
			return c.Help()
		},
	}
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	root.SetVersionTemplate(version.String())
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "Flags.FlagUsages", fmt.Sprintf("Flags.FlagUsagesWrapped %d", p.width())))
	root.SetFlagErrorFunc(p.flagError)
	for _, v := range p.Verbs {
		parent := root
		if first, _, isBelow := strings.Cut(v.Name, " "); isBelow {
			parent, _, _ = root.Find([]string{first}) // it precedes in the table
		}
		parent.AddCommand(p.command(v))
	}
	root.InitDefaultHelpFlag() // so that the command after --help is not taken for its value
	root.InitDefaultVersionFlag()
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Args = func(_ *cobra.Command, args []string) error { return p.knownCommand(root, args) }
		}
	}
	return root
}

func (p Program) width() int { return terminal.Width(p.Stdout, 100) }

// fit breaks the lines of paragraphs to the width of help, except of those with lines that are indented.
func (p Program) fit(long string) string {
	paragraphs := strings.Split(long, "\n\n")
	for i, paragraph := range paragraphs {
		if !strings.Contains("\n"+paragraph, "\n ") {
			paragraphs[i] = text.Wrap(paragraph, "", p.width())
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

func (p Program) command(v verbs.Verb) *cobra.Command {
	long, examples := v.Help()
	inList := strings.Repeat(" ", len("  conformance "))
	c := &cobra.Command{Use: v.Usage(), Short: text.Wrap(v.Short, inList, p.width()), Long: p.fit(cmp.Or(long, v.Short+".")), Example: examples, Hidden: v.IsHidden}
	set := []func(){} // options that differ from a default only if they are given
	for _, o := range v.Options {
		if chosen, ok := o.Value.(**bool); ok {
			value := c.Flags().Bool(o.Name, false, o.Help)
			set = append(set, func() {
				if c.Flags().Changed(o.Name) {
					*chosen = value
				}
			})
		} else {
			addFlag(c.Flags(), o)
		}
	}
	c.Args = func(c *cobra.Command, args []string) error { return p.checkArguments(c, v, args) }
	c.RunE = func(c *cobra.Command, args []string) error {
		for _, f := range set {
			f()
		}
		for i, arg := range args {
			if of := v.Args[min(i, len(v.Args)-1)]; of.Values != nil {
				*of.Values = append(*of.Values, arg)
			} else {
				*of.Value = arg
			}
		}
		if v.Face != nil {
			*v.Face = p.Face
		}
		return v.Run(c.Context(), verbs.Call{Face: p.Face, Stdin: p.Stdin, Stdout: p.Stdout, Stderr: p.Stderr, Usage: p.Face.Verb(strings.TrimPrefix(c.UseLine(), "slipway "))})
	}
	if v.Run == nil {
		c.RunE = func(c *cobra.Command, _ []string) error { return p.Forward(c.Context(), p.args) }
	}
	return c
}

func addFlag(f *pflag.FlagSet, o verbs.Option) {
	switch v := o.Value.(type) {
	case *string:
		f.StringVarP(v, o.Name, o.Short, *v, o.Help)
	case *bool:
		f.BoolVarP(v, o.Name, o.Short, *v, o.Help)
	case *int:
		f.IntVarP(v, o.Name, o.Short, *v, o.Help)
	case *time.Duration:
		f.DurationVarP(v, o.Name, o.Short, *v, o.Help)
	case *[]string:
		f.StringSliceVarP(v, o.Name, o.Short, *v, o.Help)
	case *verbs.Paths:
		f.StringArrayVarP((*[]string)(v), o.Name, o.Short, *v, o.Help)
	default:
		panic(fmt.Sprintf("no flag has the type %T of the option %s", v, o.Name))
	}
}

// knownCommand returns a usage error if the first argument is not a command.
func (p Program) knownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range root.Commands() {
		if c.Name() == args[0] {
			return nil
		}
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return verbs.Usage("%w\nrun '%s' for usage", nearest.Unknown("command", args[0], names), p.Face.Verb("--help"))
}

// flagError rewords an error from the flag parser.
func (p Program) flagError(c *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		name, _, _ := strings.Cut(cmp.Or(unknown.GetSpecifiedShortnames(), unknown.GetSpecifiedName()), "=")
		spelled := p.Face.Option(name)
		if unknown.GetSpecifiedShortnames() != "" { // several letters are taken for as many options, of which the first may be known
			spelled = "-" + name
			for _, arg := range p.args {
				if arg, _, _ = strings.Cut(arg, "="); strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--") && strings.HasSuffix(arg, name) {
					spelled, name = arg, arg[1:]
					break
				}
			}
		}
		err = fmt.Errorf("unknown option %s", spelled)
		var names []string
		c.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
		if near := nearest.Name(name, names); near != "" {
			err = fmt.Errorf("%w; did you mean %s?", err, p.Face.Option(near))
		}
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		cause := invalid.Unwrap()
		if invalid.GetFlag().Value.Type() == "bool" {
			cause = errors.New("must be true or false") // not a message of strconv
		} else if invalid.GetFlag().Value.Type() == "duration" {
			cause = errors.New("must be a duration, such as 30s")
		}
		err = fmt.Errorf("%s: invalid value %q: %w", p.Face.Option(invalid.GetFlag().Name), invalid.GetValue(), cause)
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		err = fmt.Errorf("%s needs a value", p.Face.Option(missing.GetSpecifiedName()))
	}
	help := p.Face.Verb("--help")
	if verb, ok := strings.CutPrefix(c.CommandPath(), "slipway "); ok && p.Face == verbs.Mage {
		help = p.Face.Help(c.Name())
	} else if ok {
		help = p.Face.Help(verb)
	}
	return verbs.Usage("%w\nrun '%s' for usage", err, help)
}

// checkArguments returns a usage error that names a missing or unexpected argument, unless the verb asks.
func (p Program) checkArguments(c *cobra.Command, v verbs.Verb, args []string) error {
	last := len(v.Args) - 1
	isOpen := last >= 0 && v.Args[last].Values != nil
	if i := slices.Index(args, ""); i >= 0 && (isOpen || i <= last) { // such as a shell variable that is not set
		return verbs.Usage("the %s is empty; use . for the current directory", v.Args[min(i, last)].Name)
	}
	switch n := len(args); {
	case n > len(v.Args) && !isOpen:
		return verbs.Usage("unexpected argument %q\nusage: %s", args[len(v.Args)], c.UseLine())
	case n < len(v.Args) && v.Args[n].IsRequired && !v.Asks:
		return verbs.Usage("missing argument <%s>\nusage: %s", v.Args[n].Name, c.UseLine())
	}
	return nil
}
