package rules

import "github.com/slipway-dev/slipway/validate"

func accessOSEnvironment() validate.Rule {
	return validate.Rule{
		ID:      "access-os-environment",
		Summary: "backend that accesses all environment variables",
		Why: "The environment may hold secrets of the host, and a host passes on few variables. The catalog does not accept plugins that " +
			"read all of them.",
		Help:  "read what users configure from the settings of the instance",
		Where: validate.Source,
		Check: goCalls("os", "accesses all environment variables", "Environ", "Clearenv", "ExpandEnv"),
	}
}
