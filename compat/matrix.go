package compat

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/ranges"
	"github.com/slipway-dev/slipway/internal/limit"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/rules"
	"github.com/slipway-dev/slipway/validate/shared"
)

// aspect is a group of rules about the versions of existing hosts.
type aspect struct {
	name  string
	rules []string
}

// aspects lists the rules whose findings depend on the range of versions in plugin.json.
func aspects() []aspect {
	return []aspect{
		{"imports", []string{"import-outside-range"}},
		{"modules", []string{"module-not-shared"}},
		{"react", []string{"react-runtime-bundled"}},
		{"plugin.json", []string{"min-version-iam", "min-version-roles", "min-version-health-diagnostics"}},
	}
}

// VersionRow is an aspect of a plugin in each of some versions of existing hosts.
type VersionRow struct {
	Aspect   string    `json:"aspect"`
	Verdicts []Verdict `json:"verdicts"` // in the order of the versions
	Found    []string  `json:"found,omitempty"`
}

// Versions runs the rules about versions for each minor version of existing hosts, such as 12.4, as if
// plugin.json allowed only that one.
func Versions(ctx context.Context, files fs.FS, versions []string) ([]VersionRow, error) {
	var rows []VersionRow
	for _, a := range aspects() {
		rows = append(rows, VersionRow{Aspect: a.name})
	}
	for _, version := range versions {
		text, err := patches(version)
		if err != nil {
			return nil, err
		}
		report, err := runFor(ctx, files, text)
		if err != nil {
			return nil, err
		}
		for i, a := range aspects() {
			verdict := Yes
			for _, f := range report.Findings {
				if !slices.Contains(a.rules, f.Rule) || f.Severity == validate.Info {
					continue
				}
				if verdict != No {
					verdict = Partly
				}
				if f.Severity == validate.Error {
					verdict = No
				}
				message, _, _ := strings.Cut(f.Message, ", but the plugin allows") // which is this version
				line := fmt.Sprintf("%s: %s: %s", version, f.Address(), message)
				rows[i].Found = append(rows[i].Found, line)
			}
			rows[i].Verdicts = append(rows[i].Verdicts, verdict)
		}
	}
	return rows, nil
}

// Suggest returns the widest range in which the rules about versions find no errors. It ends with the newest
// version that has none, and has no gaps. Without such a version, it is "".
func Suggest(ctx context.Context, files fs.FS) (string, error) {
	minors := shared.Minors()
	isGood := func(i int) (bool, error) {
		text, err := patches(short(minors[i]))
		if err != nil {
			return false, err
		}
		report, err := runFor(ctx, files, text)
		if err != nil {
			return false, err
		}
		return !slices.ContainsFunc(report.Findings, func(f validate.Finding) bool { return f.Severity == validate.Error }), nil
	}
	low, high := -1, -1
	for i := range slices.Backward(minors) {
		good, err := isGood(i)
		if err != nil {
			return "", err
		}
		if good && high < 0 {
			high = i
		}
		if !good && high >= 0 {
			break
		}
		if good {
			low = i
		}
	}
	switch {
	case high < 0:
		return "", nil
	case high == len(minors)-1:
		return ">=" + minors[low].String(), nil
	}
	return fmt.Sprintf(">=%s <%s", minors[low], minors[high+1]), nil
}

func short(v ranges.Version) string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// patches returns the range of all patches of a minor version that the table has.
func patches(version string) (string, error) {
	minors := shared.Minors()
	if !slices.ContainsFunc(minors, func(v ranges.Version) bool { return short(v) == version }) {
		return "", fmt.Errorf("invalid version %q: write minor versions from %s to %s, such as 12.4", version, short(minors[0]),
			short(minors[len(minors)-1]))
	}
	return "~" + version + ".0", nil
}

// runFor runs the rules about versions as if plugin.json had a range.
func runFor(ctx context.Context, files fs.FS, text string) (*validate.Report, error) {
	wanted := rules.All()
	wanted = slices.DeleteFunc(wanted, func(r validate.Rule) bool {
		return !slices.ContainsFunc(aspects(), func(a aspect) bool { return slices.Contains(a.rules, r.ID) })
	})
	o := validate.Options{Rules: wanted, NoDist: true}
	if _, err := fs.Stat(files, "module.js"); err == nil {
		o.Where = validate.Dist // which the name of its directory need not say
	}
	return validate.Run(ctx, ranged{files, text}, o)
}

// ranged is a tree whose plugin.json files have another range of versions.
type ranged struct {
	fs.FS
	text string
}

// Open replaces the range in a plugin.json. One that cannot be read is unchanged: validate reports it.
func (r ranged) Open(name string) (fs.File, error) {
	f, err := r.FS.Open(name)
	if err != nil || path.Base(name) != bundle.MetadataFile {
		return f, err
	}
	data, err := limit.ReadAll(f, maxMetadata)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	doc, err := bundle.ParseDocument(name, data)
	if err == nil && doc != nil {
		for _, profile := range bundle.Profiles() {
			pointer := "/dependencies/" + profile.DependencyKey
			if doc.Kind(pointer) != "string" {
				continue
			}
			span := doc.Value(pointer)
			data = slices.Concat(data[:span.Start.Offset], []byte(`"`+r.text+`"`), data[span.End.Offset:])
			if doc, err = bundle.ParseDocument(name, data); err != nil {
				break
			}
		}
	}
	return replaced{f, bytes.NewReader(data)}, nil
}

// replaced is a file with other contents.
type replaced struct {
	fs.File
	contents io.Reader
}

// Read reads the other contents.
func (r replaced) Read(b []byte) (int, error) { return r.contents.Read(b) }

// Text returns the rows as a table.
func Text(versions []string, rows []VersionRow) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%-11s", "aspect")
	for _, v := range versions {
		fmt.Fprintf(&out, "  %-6s", v)
	}
	out.WriteByte('\n')
	for _, row := range rows {
		fmt.Fprintf(&out, "%-11s", row.Aspect)
		for _, v := range row.Verdicts {
			fmt.Fprintf(&out, "  %-6s", v)
		}
		out.WriteByte('\n')
		for _, line := range row.Found {
			fmt.Fprintf(&out, "  %s\n", line)
		}
	}
	return out.String()
}
