package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/internal/orphan"
	"github.com/slipway-dev/slipway/internal/verbs"
)

// newRoot returns the command with all verbs.
func newRoot(stdout *os.File, stderr io.Writer) *cobra.Command {
	version := readVersion()
	root := &cobra.Command{
		Use:   "slipway",
		Short: "Scaffold, check, build and run plugins of a dashboard service",
		Long: "Slipway scaffolds, checks, builds and runs plugins of a dashboard service.\n\n" +
			"Exit status: 0 success, 1 errors found or the command failed, 2 invalid usage, 3 the result could not be determined.",
		Version:       version.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(c *cobra.Command, args []string) error {
			if err := knownCommand(c, args); err != nil {
				return err
			}
			return c.Help()
		},
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetVersionTemplate(version.String())
	root.SetFlagErrorFunc(flagError)
	root.PersistentFlags().String("face", "", "how messages spell options: command or mage")
	_ = root.PersistentFlags().MarkHidden("face") // the Mage targets set it
	root.PersistentPreRun = func(c *cobra.Command, _ []string) {
		if face(c) == verbs.Mage { // end with Mage, however that ends
			ctx, stop := orphan.Context(c.Context())
			context.AfterFunc(ctx, stop)
			c.SetContext(ctx)
		}
	}
	root.AddCommand(
		scaffoldCommand(stdout),
		initCommand(stdout),
		validateCommand(stdout),
		rulesCommand(stdout),
		explainCommand(stdout),
		schemaCommand(stdout),
		depsCommand(stdout),
		buildCommand(stdout),
		packageCommand(stdout),
		signCommand(stdout),
		verifyCommand(stdout),
		testCommand(stdout),
		lintCommand(stdout),
		formatCommand(stdout),
		cleanCommand(stdout),
		compatCommand(stdout),
		conformanceCommand(stdout),
		pluginsCommand(stdout),
		hostCommand(stdout, stderr),
		devCommand(stdout, stderr),
		versionCommand(version),
	)
	root.InitDefaultHelpFlag() // so that the command after --help is not taken for its value
	root.InitDefaultVersionFlag()
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Args = func(_ *cobra.Command, args []string) error { return knownCommand(root, args) }
		}
		registerCompletions(c)
	}
	return root
}

// face returns how messages of a command spell options.
func face(c *cobra.Command) verbs.Face {
	return verbs.Face(c.Flag("face").Value.String())
}

// knownCommand returns a usage error if the first argument is not a command.
func knownCommand(root *cobra.Command, args []string) error {
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
	return &verbs.ExitError{
		Code: verbs.ExitUsage,
		Err:  fmt.Errorf("%w\nrun 'slipway --help' for usage", nearest.Unknown("command", args[0], names)),
	}
}

// flagError rewords an error from the flag parser.
func flagError(c *cobra.Command, err error) error {
	f := face(c)
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && unknown.GetSpecifiedShortnames() == "" {
		name := unknown.GetSpecifiedName()
		err = fmt.Errorf("unknown option %s", f.Option(name))
		var names []string
		c.Flags().VisitAll(func(flag *pflag.Flag) {
			if !flag.Hidden {
				names = append(names, flag.Name)
			}
		})
		if near := nearest.Name(name, names); near != "" {
			err = fmt.Errorf("%w; did you mean %s?", err, f.Option(near))
		}
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		cause := invalid.Unwrap()
		if invalid.GetFlag().Value.Type() == "bool" {
			cause = errors.New("must be true or false") // not a message of strconv
		}
		err = fmt.Errorf("%s: invalid value %q: %w", f.Option(invalid.GetFlag().Name), invalid.GetValue(), cause)
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		err = fmt.Errorf("%s needs a value", f.Option(missing.GetSpecifiedName()))
	}
	help := c.CommandPath() + " --help"
	if f == verbs.Mage {
		help = f.Help(c.Name())
	}
	return &verbs.ExitError{Code: verbs.ExitUsage, Err: fmt.Errorf("%w\nrun '%s' for usage", err, help)}
}

// arguments returns check with usage errors that name the argument. It takes the
// names of the arguments from the usage line of the command.
func arguments(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		err := check(c, args)
		if err == nil {
			return nil
		}
		names := strings.Fields(c.Use)[1:]
		switch {
		case len(args) > len(names):
			err = fmt.Errorf("unexpected argument %q", args[len(names)])
		case len(args) < len(names):
			err = fmt.Errorf("missing argument %s", names[len(args)])
		}
		return &verbs.ExitError{Code: verbs.ExitUsage, Err: fmt.Errorf("%w\nusage: %s", err, c.UseLine())}
	}
}
