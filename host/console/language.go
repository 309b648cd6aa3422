package console

import (
	"encoding/json"
	"fmt"
	"time"
)

// language has all strings of the pages by key.
type language map[string]string

func readLanguage() (language, error) {
	data, err := files.ReadFile("language.json")
	if err != nil {
		return nil, err
	}
	var l language
	if err := json.Unmarshal(data, &l); err != nil {
		return nil, fmt.Errorf("language.json: %w", err)
	}
	return l, nil
}

// text returns the text of a key, formatted with args as by fmt.Sprintf. An unknown key is
// its own text.
func (l language) text(key string, args ...any) string {
	text, ok := l[key]
	switch {
	case !ok:
		return key
	case len(args) > 0:
		return fmt.Sprintf(text, args...)
	}
	return text
}

// ago describes how long ago something was, in its largest unit.
func (l language) ago(d time.Duration) string {
	for _, unit := range []struct {
		key    string
		length time.Duration
	}{{"ago.days", 24 * time.Hour}, {"ago.hours", time.Hour}, {"ago.minutes", time.Minute}} {
		if n := d / unit.length; n > 0 {
			return l.text(unit.key, int(n))
		}
	}
	return l.text("ago.now")
}
