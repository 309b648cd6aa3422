package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/conformance"
	"github.com/slipway-dev/slipway/internal/verbs"
	"github.com/slipway-dev/slipway/loader/watch"
	"github.com/slipway-dev/slipway/templates"
	"github.com/slipway-dev/slipway/validate/rules"
)

// registerCompletions adds the completions of the flags of a verb. Flags that are not
// listed complete file names, as in any shell.
func registerCompletions(c *cobra.Command) {
	formats, profiles := listFormats, verbs.ProfileNames
	if c.Name() == "scaffold" {
		profiles = templates.ProfileNames
	}
	switch c.Name() {
	case "validate":
		formats = verbs.FormatNames
	case "conformance":
		formats = conformanceFormats
	}
	only := completeList(checkNames)
	if c.Name() == "build" {
		only = completeOne(verbs.SideNames)
	}
	for _, f := range []struct {
		flag     string
		complete cobra.CompletionFunc
	}{
		{"format", completeOne(formats)},
		{"profile", completeOne(profiles)},
		{"platforms", completeList(verbs.PlatformNames)},
		{"platform", completeOne(verbs.PlatformNames)},
		{"only", only},
		{"skip", completeList(checkNames)},
		{"checks", completeOne(standardNames)},
		{"secrets", completeFiles("json")},
		{"feature-toggles", completeList(toggleNames)},
		{"dir", completeDirs},
		{"data-dir", completeDirs},
		{"plugins-dir", completeDirs},
		{"watch", completeOne(watch.Modes)},
		{"config", completeFiles("yaml", "yml")},
		{"baseline", completeFiles("json")},
		{"write-baseline", completeFiles("json")},
	} {
		if c.Flags().Lookup(f.flag) != nil {
			_ = c.RegisterFlagCompletionFunc(f.flag, f.complete) // fails only if registered twice
		}
	}
}

// completeOne completes one of several names, each with an optional description
// after a tab.
func completeOne(names func() []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return names(), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeFirst completes the first argument.
func completeFirst(names func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return names(), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeList completes the last name in a comma-separated list.
func completeList(names func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, word string) (list []cobra.Completion, _ cobra.ShellCompDirective) {
		before := word[:strings.LastIndexByte(word, ',')+1]
		for _, name := range names() {
			list = append(list, before+name)
		}
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}

func completeDirs(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

func completeFiles(extensions ...string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return extensions, cobra.ShellCompDirectiveFilterFileExt
	}
}

// completeScaffold completes a plugin type, and then the ids of that type of the plugins
// in the current directory, or else the name of the directory.
func completeScaffold(_ *cobra.Command, args []string, _ string) (list []cobra.Completion, _ cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		list = templates.TypeNames()
	case 1:
		ids := pluginIDs()
		if dir, err := os.Getwd(); err == nil && len(ids) == 0 {
			ids = []string{filepath.Base(dir)}
		}
		for _, id := range ids {
			if strings.HasSuffix(id, "-"+args[0]) {
				list = append(list, id)
			}
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

// pluginIDs returns the ids of the plugins in the current directory and the directories
// in it. It looks no deeper, because a completion must be fast.
func pluginIDs() (ids []string) {
	for _, pattern := range []string{".", "src", "*", filepath.Join("*", "src")} {
		files, _ := filepath.Glob(filepath.Join(pattern, bundle.MetadataFile))
		for _, file := range files {
			var plugin struct{ ID string }
			data, err := os.ReadFile(file)
			if err == nil && json.Unmarshal(data, &plugin) == nil && plugin.ID != "" {
				ids = append(ids, plugin.ID)
			}
		}
	}
	return ids
}

func ruleNames() (list []string) {
	for _, r := range rules.All() {
		list = append(list, r.ID+"\t"+r.Summary)
	}
	return list
}

func checkNames() (list []string) {
	for _, c := range conformance.Checks() {
		list = append(list, c.ID)
	}
	return list
}

func toggleNames() []string { return access.Toggles() }
