package conformance

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// temporaryFiles returns the environment that makes a program keep temporary files in dir.
func temporaryFiles(dir string) []string {
	return []string{"TMPDIR=" + dir, "TMP=" + dir, "TEMP=" + dir}
}

// minSecret is the length from which secrets are removed: shorter ones occur in words.
const minSecret = 4

// removed stands for a secret.
const removed = "[secret]"

// without returns the verdict without the secrets that a plugin repeated in its replies.
func (v Verdict) without(secrets map[string]string) Verdict {
	forms := secretForms(secrets)
	for _, text := range []*string{&v.Reason, &v.Sent, &v.Got, &v.Help} {
		for _, form := range forms {
			*text = strings.ReplaceAll(*text, form, removed)
			for n := min(len(form)-1, len(*text)); n >= minSecret; n-- { // where shorten cut it
				*text = strings.ReplaceAll(*text, form[:n]+"...", removed+"...")
			}
		}
	}
	return v
}

// secretForms returns secrets as they are and quoted, the longest first: one may be a part of another.
func secretForms(secrets map[string]string) (forms []string) {
	for _, secret := range secrets {
		if len(secret) >= minSecret {
			quoted := strconv.Quote(secret)
			forms = append(forms, secret, quoted[1:len(quoted)-1])
		}
	}
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
	return slices.Compact(forms)
}
