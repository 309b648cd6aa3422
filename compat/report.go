package compat

import "slices"

// Verdict reports whether an aspect of a plugin works in a host.
type Verdict string

// The verdicts. A plugin runs in a host if every verdict is Yes or Partly.
const (
	Yes     Verdict = "yes"
	Partly  Verdict = "partly" // it runs, but a part of it does not work or is not checked
	No      Verdict = "no"
	Unknown Verdict = "unknown" // the files do not show it; see Help
)

// Row is one aspect of a plugin.
type Row struct {
	Aspect   string  `json:"aspect"`
	Found    string  `json:"found"`    // in the plugin
	Here     Verdict `json:"here"`     // in the host of this program
	Existing Verdict `json:"existing"` // in existing hosts
	Help     string  `json:"help,omitempty"`
}

// Report holds all aspects of a plugin.
type Report struct {
	PluginID string `json:"pluginId"`
	Path     string `json:"path"` // of plugin.json
	Rows     []Row  `json:"rows"`
	Runs     Runs   `json:"runs"`
}

// Runs summarizes a report.
type Runs struct {
	Here     Verdict `json:"here"`
	Existing Verdict `json:"existing"`
}

// Both reports whether the plugin runs in both kinds of hosts.
func (r Runs) Both() bool { return r.Here.runs() && r.Existing.runs() }

func (v Verdict) runs() bool { return v == Yes || v == Partly }

// summarize sets Runs to the worst verdicts.
func (r *Report) summarize() {
	worst := func(of func(Row) Verdict) Verdict {
		for _, v := range []Verdict{No, Unknown, Partly} {
			if slices.ContainsFunc(r.Rows, func(row Row) bool { return of(row) == v }) {
				return v
			}
		}
		return Yes
	}
	r.Runs = Runs{
		Here:     worst(func(row Row) Verdict { return row.Here }),
		Existing: worst(func(row Row) Verdict { return row.Existing }),
	}
}
