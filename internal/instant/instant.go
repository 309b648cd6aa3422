// Package instant parses the times in requests and pages of the host.
package instant

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	maxText         = 64   // bytes
	maxMilliseconds = 1e15 // beyond what time.Time.UnixNano can represent
)

// Parse parses milliseconds since 1970, "now" or a date with adjustments, or how long ago a
// time is, such as 5m. A rounding such as now/d leads to the start of the period, or to its
// last millisecond at the end of a range.
func Parse(text string, now time.Time, isEnd bool) (at time.Time, ok bool) {
	if text == "" || len(text) > maxText {
		return time.Time{}, false
	}
	now = now.UTC()
	if ms, err := strconv.ParseFloat(text, 64); err == nil && strings.Trim(text, "+-.0123456789eE") == "" {
		ms = max(-maxMilliseconds, min(ms, maxMilliseconds))
		return time.UnixMilli(int64(ms)).UTC(), true
	}
	if adjustments, ok := strings.CutPrefix(text, "now"); ok {
		return adjust(now, adjustments, isEnd)
	}
	date, adjustments, _ := strings.Cut(text, "||")
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", time.DateOnly} {
		if at, err := time.Parse(layout, date); err == nil {
			return adjust(at.UTC(), adjustments, isEnd)
		}
	}
	if text[0] >= '0' && text[0] <= '9' {
		return adjust(now, "-"+text, isEnd)
	}
	return now, false
}

// adjustment is an offset or a rounding. A fiscal year is a calendar year.
var adjustment = regexp.MustCompile(`^(/|[-+][0-9]{0,6})(?:f([Qy])|([smhHdwMQyY]))`)

// adjust applies offsets and roundings such as -1M/M. An offset without a number is 1.
func adjust(at time.Time, adjustments string, isEnd bool) (time.Time, bool) {
	for adjustments != "" {
		m := adjustment.FindStringSubmatch(adjustments)
		if m == nil {
			return at, false
		}
		adjustments = adjustments[len(m[0]):]
		unit := m[2] + m[3]
		if m[1] == "/" {
			at = round(at, unit, isEnd)
			continue
		}
		if len(m[1]) == 1 {
			m[1] += "1"
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			return at, false
		}
		at = shift(at, n, unit)
	}
	return at, true
}

// shift adds n units. A day that the month does not have becomes its last one.
func shift(at time.Time, n int, unit string) time.Time {
	switch unit {
	case "s":
		return at.Add(time.Duration(n) * time.Second)
	case "m":
		return at.Add(time.Duration(n) * time.Minute)
	case "h", "H":
		return at.Add(time.Duration(n) * time.Hour)
	case "d":
		return at.AddDate(0, 0, n)
	case "w":
		return at.AddDate(0, 0, 7*n)
	case "M":
		return addMonths(at, n)
	case "Q":
		return addMonths(at, 3*n)
	}
	return addMonths(at, 12*n)
}

func addMonths(at time.Time, n int) time.Time {
	first := at.AddDate(0, 0, 1-at.Day()).AddDate(0, n, 0)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(at.Day(), last)-1)
}

// round returns the start of the period in UTC, or its last millisecond. Weeks start on Monday.
func round(at time.Time, unit string, isEnd bool) (start time.Time) {
	year, month, day := at.Date()
	switch unit {
	case "s":
		start = at.Truncate(time.Second)
	case "m":
		start = at.Truncate(time.Minute)
	case "h", "H":
		start = at.Truncate(time.Hour)
	case "d":
		start = time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	case "w":
		start = time.Date(year, month, day-(int(at.Weekday())+6)%7, 0, 0, 0, 0, time.UTC)
	case "M":
		start = time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	case "Q":
		start = time.Date(year, (month-1)/3*3+1, 1, 0, 0, 0, 0, time.UTC)
	default:
		start = time.Date(year, time.January, 1, 0, 0, 0, 0, time.UTC)
	}
	if isEnd {
		return shift(start, 1, unit).Add(-time.Millisecond)
	}
	return start
}
