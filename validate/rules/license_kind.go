package rules

import (
	"slices"
	"strings"
	"sync"

	"github.com/google/licensecheck"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func licenseKind(p *validate.Pass) {
	text, _ := inspect.FindText(p, licenseNames(p)...)
	if text == nil || text.Err != nil || len(text.Data) == 0 {
		return // license-missing reports it
	}
	scanner := acceptedLicenses()
	if scanner == nil {
		p.Skipf("the texts of the licenses cannot be compiled")
		return
	}
	if len(scanner.Scan(text.Data).Match) == 0 {
		p.Reportf(validate.Place{File: text.File}, "the text is that of no license that the catalog accepts")
	}
}

// acceptedLicenses recognizes the licenses that the catalog accepts, and is nil if they cannot be compiled,
// which takes a process a third of a second, once; that of all licenses would take three times as long.
var acceptedLicenses = sync.OnceValue(func() *licensecheck.Scanner {
	families := []string{"0BSD", "BSD-", "MIT", "Apache-2.0", "LGPL-3.0", "GPL-3.0", "AGPL-3.0"}
	var accepted []licensecheck.License
	for _, l := range licensecheck.BuiltinLicenses() {
		isAccepted := slices.ContainsFunc(families, func(family string) bool { return strings.HasPrefix(l.ID, family) })
		isNotice := strings.HasSuffix(l.ID, "-only") || strings.HasSuffix(l.ID, "-or-later") // above a source file
		if l.LRE != "" && isAccepted && !isNotice {
			accepted = append(accepted, l)
		}
	}
	scanner, err := licensecheck.NewScanner(accepted)
	if err != nil {
		return nil
	}
	return scanner
})
