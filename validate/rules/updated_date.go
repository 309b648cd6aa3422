package rules

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func updatedDate(p *validate.Pass) {
	const pointer = "/info/updated"
	text, _ := p.Doc.Text(pointer)
	text = inspect.Resolved(p, text)
	if placeholder, _ := bundle.FindPlaceholder(text); text == "" || placeholder != "" {
		return // required-field and unresolved-placeholder report it
	}
	if _, err := time.Parse(time.DateOnly, text); err == nil {
		return
	}
	f := validate.Finding{Severity: violation.in(p), Place: p.Value(pointer),
		Message: fmt.Sprintf("%q is not a date in the form YYYY-MM-DD", text)}
	if date := readDate(text); date != "" {
		f.Help = fmt.Sprintf("write %q", date)
		f.Fix = writeText(p, pointer, date)
	}
	p.Report(f)
}

// readDate returns an unambiguous date as year-month-day, or "" if text is not one.
func readDate(text string) string {
	text = strings.TrimSpace(text)
	for _, layout := range []string{
		time.DateOnly, time.RFC3339Nano, "2006-01-02T15:04:05", time.DateTime, "2006-1-2", "2006/1/2", "2006.1.2", "20060102",
		"January 2, 2006", "Jan 2, 2006", "2 January 2006", "2 Jan 2006", time.RFC1123, time.RFC1123Z,
	} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.Format(time.DateOnly)
		}
	}
	m := regexp.MustCompile(`^(\d{1,2})([./-])(\d{1,2})[./-](\d{4})$`).FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	day, _ := strconv.Atoi(m[1])
	month, _ := strconv.Atoi(m[3])
	if month > 12 {
		day, month = month, day
	}
	if day <= 12 && day != month { // ambiguous
		return ""
	}
	date := fmt.Sprintf("%s-%02d-%02d", m[4], month, day)
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		return ""
	}
	return date
}
