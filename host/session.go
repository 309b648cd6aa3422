package host

import (
	"strings"
	"time"
	"unicode"
)

// How long a browser stays signed in.
const (
	SessionIdle = 24 * time.Hour      // without a request
	SessionLife = 30 * 24 * time.Hour // in all
)

// ParseSession parses the token of a session. Errors have the category ErrUnauthorized.
func ParseSession(text string) (Token, error) { return parseToken(text, SessionToken) }

// AgentOf returns the name of a browser as a Session stores it: at most 256 bytes of
// printable text.
func AgentOf(header string) string {
	const most = 256
	printable := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(header[:min(len(header), most)], ""))
	return strings.TrimSpace(printable)
}
