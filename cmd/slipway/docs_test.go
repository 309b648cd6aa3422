package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/internal/testkit"
)

var (
	codeBlock = regexp.MustCompile("(?ms)^```.*?^```$")
	codeSpan  = regexp.MustCompile("`([^`]+)`")
	// continuation joins the lines of one command in a code block.
	continuation = regexp.MustCompile(`\n {10,}`)
	docCommand   = regexp.MustCompile(`(?m)(?:^|[ /])slipway ([a-z][a-z-]*)(.*)$`)
	docFlag      = regexp.MustCompile(`(?:^|[\s(])--([a-z][a-z-]*)`)
	docExcept    = regexp.MustCompile(`(?:except|but for) .*`)
)

// TestCommandsInDocuments requires that every command in the documents exists, with its
// flags.
func TestCommandsInDocuments(t *testing.T) {
	t.Parallel()
	root := newProgram(verbs.Command, os.Stdout, os.Stderr).Root()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	names := testkit.Must(filepath.Glob(filepath.Join("..", "..", "doc", "*.md")))(t)
	commands := 0
	for _, name := range append(names, filepath.Join("..", "..", "README.md"), filepath.Join("..", "..", "CONTRIBUTING.md")) {
		if base := filepath.Base(name); base == "rules.md" || base == "commands.md" {
			continue // generated
		}
		data := testkit.Must(os.ReadFile(name))(t)
		code := codeBlock.FindAllString(string(data), -1)
		for _, m := range codeSpan.FindAllStringSubmatch(codeBlock.ReplaceAllString(string(data), ""), -1) {
			code = append(code, m[1])
			if strings.HasPrefix(m[1], "--") {
				checkFlags(t, name, m[1], root.Commands()...)
			}
		}
		for _, text := range code {
			for _, m := range docCommand.FindAllStringSubmatch(continuation.ReplaceAllString(text, " "), -1) {
				commands++
				c, _, err := root.Find([]string{m[1]})
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				checkFlags(t, name, docExcept.ReplaceAllString(m[2], ""), c)
			}
		}
	}
	if commands < 8 {
		t.Errorf("found only %d commands in the documents", commands)
	}
}

// TestWorkflowsInDocuments requires that the workflows in doc/ci.md are valid, and that
// their steps do one thing each.
func TestWorkflowsInDocuments(t *testing.T) {
	t.Parallel()
	data := testkit.Must(os.ReadFile(filepath.Join("..", "..", "doc", "ci.md")))(t)
	jobs := 0
	for _, block := range codeBlock.FindAllString(string(data), -1) {
		text, isYAML := strings.CutPrefix(block, "```yaml\n")
		if !isYAML {
			continue
		}
		type step struct {
			Uses, Run, Name, If string
			With, Env           map[string]string
		}
		var workflow struct {
			Name        string
			On          any // a list, or a map with branches
			Permissions map[string]string
			Jobs        map[string]struct {
				RunsOn string `yaml:"runs-on"`
				Steps  []step
			}
			Rules, Suppress any // of slipway.yaml
		}
		d := yaml.NewDecoder(strings.NewReader(strings.TrimSuffix(text, "```")))
		d.KnownFields(true)
		if err := d.Decode(&workflow); err != nil {
			t.Errorf("%v in\n%s", err, text)
		}
		for name, job := range workflow.Jobs {
			jobs++
			if job.RunsOn == "" || workflow.On == nil || len(workflow.Permissions) == 0 {
				t.Errorf("job %s lacks runs-on, on or permissions:\n%s", name, text)
			}
			for _, s := range job.Steps {
				if (s.Uses == "") == (s.Run == "") {
					t.Errorf("job %s has a step that uses %q and runs %q", name, s.Uses, s.Run)
				}
			}
		}
	}
	if jobs < 2 {
		t.Errorf("found only %d jobs", jobs)
	}
}

var update = flag.Bool("update", false, "write doc/commands.md")

// TestCommandsDocument requires that doc/commands.md is the help of every command.
func TestCommandsDocument(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("# Commands\n\nThe help of every command of `slipway` except `completion` and `help`. \"go tool mage docs\" generates this file.\n\n" +
		"`go tool slipway` has the same commands. Mage targets take the same options in camel case, with one\n" +
		"hyphen: `--service-version` is `-serviceVersion`. Optional arguments become options: `slipway validate dist`\n" +
		"is `go tool mage validate -path=dist`, and `slipway schema plugin` is `go tool mage schema -what=plugin`.\n" +
		"`go tool mage -h <target>` lists the options of a target.\n")
	for _, c := range withSubcommands(newProgram(verbs.Command, os.Stdout, os.Stderr).Root()) {
		fmt.Fprintf(&b, "\n## %s\n\n```text\n%s\n\n%s```\n", c.CommandPath(), strings.TrimSpace(c.Long), c.UsageString())
	}
	if machine := `(default "` + bundle.Host().String() + `")`; strings.Contains(b.String(), machine) {
		t.Errorf("the help names this machine: %s", machine)
	}
	name := filepath.Join("..", "..", "doc", "commands.md")
	testkit.Golden(t, *update, name, b.String())
}

// withSubcommands returns the available commands below a command.
func withSubcommands(parent *cobra.Command) (list []*cobra.Command) {
	for _, c := range parent.Commands() {
		if c.IsAvailableCommand() {
			list = append(append(list, c), withSubcommands(c)...)
		}
	}
	return list
}

// checkFlags requires that one of the commands has each flag in text.
func checkFlags(t *testing.T, document, text string, commands ...*cobra.Command) {
	t.Helper()
	for _, m := range docFlag.FindAllStringSubmatch(text, -1) {
		if !slices.ContainsFunc(commands, func(c *cobra.Command) bool { return c.Flag(m[1]) != nil }) {
			t.Errorf("%s: unknown flag --%s in %q", document, m[1], text)
		}
	}
}
