package sdk

import (
	"os"
	"strings"
)

// Env returns an environment variable that the host sets, whose name starts with SVC_.
// If it is empty, Env returns the variable that existing hosts set instead, which has
// the prefix GF_.
func Env(name string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	if rest, ok := strings.CutPrefix(name, "SVC_"); ok {
		return os.Getenv("GF_" + rest)
	}
	return ""
}
