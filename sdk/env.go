package sdk

import (
	"os"
	"strings"
)

// Env returns the value of an environment variable that the host sets, whose name starts
// with SVC_. If it is empty, Env returns the value of the variable that existing hosts set
// instead, which has the prefix GF_.
func Env(name string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	if rest, ok := strings.CutPrefix(name, "SVC_"); ok {
		return os.Getenv("GF_" + rest)
	}
	return ""
}

// EnvName returns the name that the host of the plugin uses for a variable that [Env] reads,
// for messages about it.
func EnvName(name string) string {
	rest, ok := strings.CutPrefix(name, "SVC_")
	if !ok || os.Getenv(name) != "" {
		return name
	}
	published := "GF_" + rest
	isExisting := os.Getenv("SVC_VERSION") == "" && os.Getenv("GF_VERSION") != "" // every host sets its version
	if isExisting || os.Getenv(published) != "" {
		return published
	}
	return name
}
