package urlpath_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/internal/urlpath"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	type verdict struct{ value, name bool } // accepted by CheckValue and CheckName
	for segment, want := range map[string]verdict{
		"a":              {true, true},
		"b c":            {true, true},
		"a..b":           {true, true},
		"?q#f":           {true, true},
		"é;":             {true, true},
		"100%":           {true, true},
		"50%25":          {true, true},
		"über/größe":     {true, true},
		"a/b":            {true, true},
		`a\b`:            {true, true},
		"//evil":         {true, true},
		"a%2Fb":          {true, true},
		"a\uff0fb":       {true, true},
		"...":            {true, false},
		"a/...":          {true, false},
		"a%2F;x":         {true, false},
		"/":              {true, true},
		"":               {false, false},
		";x":             {true, false},
		".":              {false, false},
		"..":             {false, false},
		"..;x":           {false, false},
		".. ":            {false, false},
		"\u200b..":       {false, false},
		"\uff0e\uff0e":   {false, false},
		"\u2025":         {false, false},
		"../x":           {false, false},
		`..\x`:           {false, false},
		"a/../b":         {false, false},
		"%2e%2e":         {false, false},
		"%252e%252e%2fx": {false, false},
		"a\nb":           {false, false},
		"a\x00":          {false, false},
		"%00":            {false, false},
		"\xff":           {false, false},
		"%ff":            {false, false},
		"%u002e":         {false, false},
		"\uff05u002e":    {false, false},
		"%25252525252e":  {false, false},
		"\ufe6a2e.":      {false, false},
	} {
		if err := urlpath.CheckValue(segment); (err == nil) != want.value {
			t.Errorf("CheckValue(%q) = %v", segment, err)
		}
		if err := urlpath.CheckName(segment); (err == nil) != want.name {
			t.Errorf("CheckName(%q) = %v", segment, err)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("a/../b")
	f.Add("%252e%2e;x")
	f.Fuzz(func(t *testing.T, segment string) {
		if urlpath.CheckName(segment) == nil && urlpath.CheckValue(segment) != nil {
			t.Errorf("CheckName accepts %q, CheckValue does not", segment)
		}
		if urlpath.CheckValue(segment) != nil {
			return
		}
		u := testkit.Must(url.Parse("http://h/base/" + url.PathEscape(segment)))(t)
		if p := u.JoinPath().Path; !strings.HasPrefix(p, "/base/") {
			t.Errorf("%q leads to %s", segment, p)
		}
	})
}
