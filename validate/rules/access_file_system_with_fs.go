package rules

import "github.com/slipway-dev/slipway/validate"

func accessFileSystemWithFS() validate.Rule {
	return validate.Rule{
		ID:      "access-file-system-with-fs",
		Summary: "backend that calls package io/fs",
		Why: "A host may run backends where nothing can be written, and its own files are none of a plugin's business. The catalog does " +
			"not accept plugins that access the file system.",
		Help:  "keep the data in memory or at a service, and files of the plugin in the executable with package embed",
		Where: validate.Source,
		Check: goCalls("io/fs", "belongs to io/fs, which the catalog does not accept in plugins"),
	}
}
