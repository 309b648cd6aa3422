package rules

import (
	"fmt"
	"io"

	"github.com/slipway-dev/slipway/bundle/zipfs"
	"github.com/slipway-dev/slipway/validate"
)

func zipFormat(p *validate.Pass) {
	reportRefusal(p, false)
	var problems []string
	for _, e := range p.Archive.Entries {
		if e.Path == "" && zipNameProblem(e.Name) == "" { // zip-slip reports the others
			problems = append(problems, fmt.Sprintf("zip entry %.200q was not read: its name is too long or not valid, or another entry is a file where it "+
				"needs a directory", e.Name))
		} else if err := unpack(p.Archive, e); err != nil {
			problems = append(problems, fmt.Sprintf("zip entry %.200q cannot be unpacked: %v", e.Name, err))
		}
	}
	reportZip(p, problems)
}

// unpack reads an entry to its end, where its checksum is. It does not read what other rules report.
func unpack(a *zipfs.Archive, e zipfs.Entry) error {
	if e.Path == "" || e.Refusal != "" || a.Refusal != "" || !e.Mode.IsRegular() {
		return nil
	}
	f, err := a.Open(e.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(io.Discard, f)
	return err
}
