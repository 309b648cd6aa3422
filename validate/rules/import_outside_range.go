package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/ranges"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
	"github.com/slipway-dev/slipway/validate/shared"
)

func importOutsideRange(p *validate.Pass) {
	declaredIn(p, inspect.HostRanges.Of(p)) // or why that is not compared, even if nothing is imported
	widest := map[*bundle.Document]string{}
	for _, use := range inspect.SharedImports.Of(p) {
		d, ok := declaredIn(p, use.Range)
		missing, why := d.missing(p, use)
		if !ok || missing == 0 {
			continue
		}
		if isUnknown(p, use) {
			reportUnknown(p, use)
			continue
		}
		if use.IsExported {
			continue
		}
		if _, isKnown := widest[d.Doc]; !isKnown {
			widest[d.Doc] = d.widest(p)
		}
		f := validate.Finding{Place: use.Place(), Message: use.Module + " " + why}
		if use.IsGuarded {
			f.Severity = guardedUse.in(p)
		} else {
			f.Help, f.Fix = d.help(p, widest[d.Doc])
		}
		d.report(p, f, missing)
	}
}

// widest returns the widest range within the declared one that has all that its plugins import, or "" if that
// is the declared range, or there is none.
func (d declared) widest(p *validate.Pass) string {
	good := d.Admitted
	for _, use := range inspect.SharedImports.Of(p) {
		if missing, _ := d.missing(p, use); !use.IsGuarded && use.Range.Doc == d.Doc {
			good &^= missing
		}
	}
	return narrowed(d.Text, d.Admitted, good)
}

// missing returns the versions in the range that do not have what a plugin uses, and which do.
func (d declared) missing(p *validate.Pass, use inspect.SharedImport) (shared.Set, string) {
	m, ok := shared.Find(use.Module)
	if !ok || slices.Contains([]string{"default", "hasOwnProperty", "toString", "valueOf"}, use.Name) || strings.HasPrefix(use.Name, "__") {
		return 0, ""
	}
	name, isKnown := m.Name(use.Name)
	switch {
	case !isKnown && (p.Where != validate.Source || !shared.IsOurs(use.Module) || shared.IsAdded(use.Module, use.Name)):
		return 0, "" // the table does not have the types of others, and a compiler has seen the names in a bundle
	case !isKnown:
		return d.Admitted & m.Versions(), fmt.Sprintf("does not export %s in the versions that Slipway knows", use.Name)
	case name.Values == 0: // only a type
		return 0, ""
	}
	return d.Admitted & m.Versions() &^ name.Values, fmt.Sprintf("exports %s in %s", use.Name, versions(name.Values))
}

// isUnknown reports whether no version has a name: unless the plugin is compiled with versions that the table does
// not have, which are newer or older.
func isUnknown(p *validate.Pass, use inspect.SharedImport) bool {
	m, _ := shared.Find(use.Module)
	if _, isKnown := m.Name(use.Name); isKnown {
		return false
	}
	pkg := inspect.PackageJSON.Of(p)
	if pkg == nil {
		return true
	}
	for _, section := range []string{"dependencies", "devDependencies", "peerDependencies"} {
		text, ok := pkg.Text("/" + section + "/" + bundle.EscapePointer(use.Module))
		compiled, err := ranges.Parse(text)
		if ok && (err != nil || shared.Admitted(compiled) == 0) { // such as "latest"
			return false
		}
	}
	return true
}

// reportUnknown reports a name that no version exports, such as a misspelled one.
func reportUnknown(p *validate.Pass, use inspect.SharedImport) {
	f := validate.Finding{Place: use.Place(), Message: fmt.Sprintf("%s has no export %s in any version", use.Module, use.Name),
		Help: "import what it exports, or use it only if it is not undefined"}
	if m, _ := shared.Find(use.Module); m.Nearest(use.Name) != "" {
		f.Message += fmt.Sprintf("; did you mean %s?", m.Nearest(use.Name))
		f.Help = "correct the name"
	}
	if use.IsGuarded {
		f.Severity = guardedUse.in(p)
	}
	p.Report(f)
}

// help returns what to do about the range.
func (d declared) help(p *validate.Pass, widest string) (string, *validate.Fix) {
	if widest == "" {
		return "", nil
	}
	help := fmt.Sprintf("write %q as the range, or use it only if it is not undefined", widest)
	if d.Doc.File != p.File {
		return help, nil
	}
	return help, &validate.Fix{
		Title: fmt.Sprintf("change the range to %q", widest),
		Edits: []validate.Edit{p.Replace(d.Pointer, widest)},
	}
}

// plain matches a range with a lower and perhaps an upper bound.
var plain = regexp.MustCompile(`^\s*>=\s*v?(\d+(?:\.\d+){0,2}[^\s|]*)(\s+<\s*[^\s|]+)?\s*$`)

// narrowed returns the range that a plugin should have: the newest versions one after the other that are
// good, within what it had. It is "" if the range is good, or nothing of it is, or it has another form.
func narrowed(text string, admitted, good shared.Set) string {
	bounds := plain.FindStringSubmatch(text)
	if bounds == nil || good == 0 || good == admitted {
		return ""
	}
	minors := shared.Minors()
	low, high := good.Latest()
	result := ">=" + bounds[1]
	if low > 0 && admitted.Has(low-1) {
		result = ">=" + minors[low].String()
	}
	if high+1 < len(minors) && admitted.Has(high+1) {
		return result + " <" + minors[high+1].String()
	}
	return result + bounds[2]
}

// declared is the range of versions of existing hosts that a plugin allows.
type declared struct{ inspect.HostRange }

// declaredIn returns the range of a plugin, or of a file, which may belong to a nested plugin. ok is false if it cannot be
// read, or the table has none of its versions.
func declaredIn(p *validate.Pass, r inspect.HostRange) (d declared, ok bool) {
	if r.Err != nil {
		return d, false
	}
	d = declared{r}
	if minors := shared.Minors(); d.Admitted == 0 && r.Range.IsSatisfiable() && !r.Range.AdmitsBelow(minors[len(minors)-1]) {
		p.Skipf("the range has only versions after %s, the newest that this version of Slipway knows", shared.Minor(len(minors)-1))
	}
	return d, d.Admitted != 0
}

// publishedIn is declaredIn for plugins for existing hosts: those that have their dependency key, or are checked as if
// they had.
func publishedIn(p *validate.Pass, r inspect.HostRange) (d declared, ok bool) {
	if !r.Doc.Has("/dependencies/"+bundle.Published().DependencyKey) && p.Range("") == "" {
		return d, false
	}
	return declaredIn(p, r)
}

func hosts(text string) shared.Set {
	r, err := ranges.Parse(text)
	if err != nil {
		panic(err) // the text is that of a table in this package
	}
	return shared.Admitted(r)
}

// report reports what some versions do not have, if there are any. The message says what they lack.
func (d declared) report(p *validate.Pass, f validate.Finding, missing shared.Set) {
	if missing == 0 {
		return
	}
	f.Related = []validate.Related{{Place: d.Place(p), Message: "the range is here"}}
	f.Hosts = missing
	reportAllowed(p, f, versions(missing))
}

// reportAllowed reports a claim about versions, of which the plugin allows some.
func reportAllowed(p *validate.Pass, claim validate.Finding, allowed string) {
	claim.Claim = claim.Message
	claim.Message += ", but the plugin allows " + allowed
	p.Report(claim)
}

// versions writes a set of minor versions, such as "8.0 to 10.4, and 11.5 and later".
func versions(s shared.Set) string {
	newest := len(shared.Minors()) - 1
	var parts []string
	for i := 0; i <= newest; i++ {
		if !s.Has(i) {
			continue
		}
		j := i
		for j < newest && s.Has(j+1) {
			j++
		}
		switch {
		case j == newest && j > i:
			parts = append(parts, shared.Minor(i)+" and later")
		case j > i:
			parts = append(parts, shared.Minor(i)+" to "+shared.Minor(j))
		default:
			parts = append(parts, shared.Minor(i))
		}
		i = j
	}
	return strings.Join(parts, ", and ")
}
