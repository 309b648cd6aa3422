package verbs

import (
	"flag"
	"fmt"
	"go/format"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testkit"
)

var update = flag.Bool("update", false, "write the Mage functions in targets")

// TestMageFunctions requires that the functions in targets are those of the table.
func TestMageFunctions(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{targets, workflow} {
		var b strings.Builder
		fmt.Fprintf(&b, "// Code generated from the table of cmd/internal/verbs by \"go tool mage docs\"; DO NOT EDIT.\n\npackage %s\n\n", filepath.Base(dir))
		b.WriteString("import (\n\t\"context\"\n\n\t\"github.com/slipway-dev/slipway/targets/internal/program\"\n)\n")
		for _, v := range All(nil) {
			if v.Mage == dir {
				first, rest, _ := strings.Cut(v.Short, " ")
				var names []string
				for _, o := range v.Options {
					names = append(names, o.Name)
				}
				writeFunction(&b, v, Alias{Name: mageName(v.Name), Short: strings.ToLower(first) + "s " + rest, Options: names}, v.Args)
			}
			for _, a := range v.Aliases {
				if dir == workflow {
					writeFunction(&b, v, a, nil)
				}
			}
		}
		want := testkit.Must(format.Source([]byte(b.String())))(t)
		name := filepath.Join("..", "..", "..", filepath.FromSlash(dir), filepath.Base(dir)+".go")
		testkit.Golden(t, *update, name, string(want))
	}
}

// mageName returns the name of the function of a verb: Validate, or Scaffold.Update in a namespace.
func mageName(verb string) string {
	words := strings.Fields(verb)
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, ".")
}

// writeFunction writes a Mage function.
func writeFunction(b *strings.Builder, v Verb, a Alias, args []Arg) {
	receiver, name, isBelow := strings.Cut(a.Name, ".")
	if isBelow {
		receiver = "(" + receiver + ") "
	} else {
		receiver, name = "", receiver
	}
	fmt.Fprintf(b, "\n// %s %s.\nfunc %s%s(ctx context.Context", name, a.Short, receiver, name)
	list, positional, wrapper := "", []string{}, "[]string{"
	var required []string
	for _, arg := range args {
		switch {
		case arg.IsRequired && arg.Name == "type": // a keyword
			required = append(required, "pluginType")
		case arg.IsRequired:
			required = append(required, arg.Name)
		case arg.Option != "":
			list += fmt.Sprintf("\n\t%s *string, // %s", arg.Option, arg.Help)
			positional, wrapper = append(positional, arg.Option), "program.Args("
		}
	}
	if len(required) > 0 {
		fmt.Fprintf(b, ", %s string", strings.Join(required, ", "))
		positional = required
	}
	passed := ""
	for _, o := range v.Options {
		if !slices.Contains(a.Options, o.Name) || o.IsNoMage {
			continue
		}
		parameter, kind := strings.TrimPrefix(Mage.Option(o.Name), "-"), "string"
		switch o.Value.(type) {
		case *bool, **bool:
			kind = "bool"
		}
		list += fmt.Sprintf("\n\t%s *%s, // %s%s", parameter, kind, o.Help, defaultText(o.Value))
		passed += fmt.Sprintf("\n\t\tprogram.Option(%q, %s),", o.Name, parameter)
	}
	if list != "" {
		b.WriteString("," + list + "\n")
	}
	values := "nil"
	if len(positional) > 0 {
		values = wrapper + strings.Join(positional, ", ") + map[bool]string{true: "}", false: ")"}[wrapper == "[]string{"]
	}
	for _, option := range a.Set {
		passed = fmt.Sprintf("\n\t\t%q,", option) + passed
	}
	if passed != "" {
		passed = "," + passed + "\n\t"
	}
	fmt.Fprintf(b, ") error {\n\treturn program.Mage(ctx, %q, %s%s)\n}\n", v.Name, values, passed)
}

// defaultText describes the default of an option, if it has one.
func defaultText(value any) string {
	text := ""
	switch v := value.(type) {
	case *string:
		text = *v
	case *[]string:
		text = strings.Join(*v, ",")
	case *time.Duration:
		text = v.String()
	}
	if text == "" {
		return ""
	}
	return " (default: " + text + ")"
}
