package conformance

import (
	"os"
	"strings"
)

// maxTemporary is the longest temporary directory with which the path of a socket stays
// within the 104 bytes that every Unix allows.
const maxTemporary = 24

// temporaryBase returns the directory in which the plugin gets one for its temporary files.
// Plugins leave files there, among them the sockets of killed processes.
func temporaryBase() string {
	if base := os.TempDir(); len(base) <= maxTemporary || os.PathSeparator != '/' {
		return base
	}
	return "/tmp"
}

// temporaryFiles returns the environment that makes a program keep temporary files in dir.
func temporaryFiles(dir string) []string {
	return []string{"TMPDIR=" + dir, "TMP=" + dir, "TEMP=" + dir}
}

// minSecret is the length from which a secret is removed from the results. A shorter one
// would also remove parts of words.
const minSecret = 4

// removed stands for a secret.
const removed = "[secret]"

// without returns the verdict without the secrets that a plugin repeated in its replies.
func (v Verdict) without(secrets map[string]string) Verdict {
	for _, secret := range secrets {
		if len(secret) < minSecret {
			continue
		}
		for _, text := range []*string{&v.Reason, &v.Sent, &v.Got, &v.Help} {
			*text = strings.ReplaceAll(*text, secret, removed)
			for n := len(secret) - 1; n >= minSecret; n-- { // where shorten cut it
				*text = strings.ReplaceAll(*text, secret[:n]+"...", removed+"...")
			}
		}
	}
	return v
}
