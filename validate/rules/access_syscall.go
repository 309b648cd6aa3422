package rules

import "github.com/slipway-dev/slipway/validate"

func accessSyscall() validate.Rule {
	return validate.Rule{
		ID:      "access-syscall",
		Summary: "backend that calls package syscall",
		Why: "System calls bypass what limits a plugin, and those of one operating system do not compile for another. The catalog does not " +
			"accept plugins that make them.",
		Help:  "use a package of the standard library that does the same on every platform",
		Where: validate.Source,
		Check: goCalls("syscall", "belongs to syscall, which the catalog does not accept in plugins"),
	}
}
