package rules

import "github.com/slipway-dev/slipway/validate"

func accessFileSystemWithFS(p *validate.Pass) {
	goCalls(p, "io/fs", "belongs to io/fs, which the catalog does not accept in plugins")
}
