package inspect

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/validate"
)

// Dashboard is an included dashboard that exists.
type Dashboard struct {
	Pointer string // of the entry in includes
	Err     error  // why the host does not import it; with ErrNoUID for a missing uid
}

// ErrNoUID is in the error for a dashboard without a uid.
var ErrNoUID = errors.New("each import would create another dashboard")

// maxDashboard is the maximum size of a dashboard that the host imports, in bytes.
const maxDashboard = 4 << 20

// Dashboards holds the included dashboards of a plugin.
var Dashboards = validate.NewFact(func(p *validate.Pass) (all []Dashboard) {
	for _, a := range Assets.Of(p) {
		entry, isInclude := strings.CutSuffix(a.Pointer, "/path")
		if a.Verdict != PathFine || !isInclude || !strings.HasPrefix(entry, "/includes/") {
			continue
		}
		d := Dashboard{Pointer: entry}
		model, err := ReadFile(p, p.Root, a.File, maxDashboard)
		if err != nil {
			d.Err = fmt.Errorf("cannot be read: %w", err)
		} else {
			uid, _ := p.Doc.Text(entry + "/uid")
			d.Err = CheckDashboard(model, uid)
		}
		all = append(all, d)
	}
	return all
})

// CheckDashboard returns why the host does not import a dashboard, or nil. uid is that of its
// entry in includes, which applies if the model has none. The error does not quote the model.
func CheckDashboard(model []byte, uid string) error {
	var head struct {
		ID      *int64   `json:"id"`
		UID     string   `json:"uid"`
		Title   string   `json:"title"`
		Tags    []string `json:"tags"`
		Version *int64   `json:"version"`
	}
	if !json.Valid(model) {
		return errors.New("is not valid JSON")
	}
	if err := json.Unmarshal(model, &head); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
			return fmt.Errorf("has a value of the wrong type for %q", wrong.Field)
		}
		return errors.New("is not a JSON object")
	}
	if head.UID != "" {
		uid = head.UID
	}
	const maxTags = 100
	tags := slices.Compact(slices.Sorted(slices.Values(head.Tags)))
	switch {
	case !isName(head.Title):
		return errors.New(`must have a "title" of 1 to 190 characters, none of them a control character`)
	case len(tags) > maxTags:
		return fmt.Errorf("has more than %d different tags", maxTags)
	case uid == "":
		what := `has no "uid"`
		var raw struct{ UID json.RawMessage }
		if json.Unmarshal(model, &raw) == nil && string(raw.UID) == "null" {
			what = `has a "uid" that is null`
		}
		return fmt.Errorf("%s: %w", what, ErrNoUID)
	case len(uid) > 40 || strings.Trim(uid, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "":
		return errors.New(`must have a "uid" of 1 to 40 letters, digits, - and _`)
	}
	for _, tag := range tags {
		if !isName(tag) {
			return errors.New("has a tag that is empty or too long, or that contains control characters")
		}
	}
	return nil
}

// isName reports whether the host accepts a text as a title or tag.
func isName(text string) bool {
	return strings.TrimSpace(text) != "" && utf8.RuneCountInString(text) <= 190 && !strings.ContainsFunc(text, unicode.IsControl)
}
