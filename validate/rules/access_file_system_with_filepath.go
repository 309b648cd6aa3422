package rules

import "github.com/slipway-dev/slipway/validate"

func accessFileSystemWithFilepath() validate.Rule {
	return validate.Rule{
		ID:      "access-file-system-with-filepath",
		Summary: "backend that accesses the file system with package path/filepath",
		Why: "A host may run backends where nothing can be written, and its own files are none of a plugin's business. The catalog does " +
			"not accept plugins that access the file system.",
		Help:  "keep the data in memory or at a service, and files of the plugin in the executable with package embed",
		Where: validate.Source,
		Check: goCalls("path/filepath", "accesses the file system", "Walk", "WalkDir", "VolumeName", "EvalSymlinks", "Glob"),
	}
}
