package console

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/dop251/goja"
)

// The pages and their scripts write numbers in the same way.
func TestUnits(t *testing.T) {
	t.Parallel()
	module, err := os.ReadFile("static/format.js")
	if err != nil {
		t.Fatal(err)
	}
	runtime := goja.New()
	if _, err := runtime.RunString(strings.ReplaceAll(string(module), "export ", "") + `
		function text(json, v) { return formatter(json)(v); }
		function format(units, unit, decimals) { return formatOf(JSON.parse(units), unit, decimals ?? undefined) ?? ""; }`); err != nil {
		t.Fatal(err)
	}
	var inScript func(json string, v float64) string
	if err := runtime.ExportTo(runtime.Get("text"), &inScript); err != nil {
		t.Fatal(err)
	}
	var formatInScript func(units, unit string, decimals any) string
	if err := runtime.ExportTo(runtime.Get("format"), &formatInScript); err != nil {
		t.Fatal(err)
	}
	known := indentJSON(units())
	one := 1.0
	for _, c := range []struct {
		unit     string
		decimals *float64
		value    float64
		want     string
	}{
		{"", nil, 0, "0"},
		{"", nil, 1234567.5, "1234568"},
		{"", nil, 0.00012345678, "0.000123457"},
		{"", nil, 1e-6, "0.000001"},
		{"", nil, 1e21, "1e+21"},
		{"", nil, -1234567.5, "-1234568"},
		{"none", nil, 42, "42"},
		{"none", &one, 42, "42.0"},
		{"ns", nil, math.NaN(), "NaN"},
		{"", nil, math.Inf(1), "Infinity"},
		{"ns", nil, math.Inf(-1), "-Infinity"},
		{"__proto__", nil, 1, "1 __proto__"},
		{"constructor", nil, 1, "1 constructor"},
		{"prefix", nil, 1, "1 prefix"},
		{strings.Repeat("long ", 7), nil, 1, "1"},
		{"short", nil, 1234567, "1.235 Mil"},
		{"s", nil, 0, "0 s"},
		{"s", nil, 0.0025, "2.5 ms"},
		{"s", nil, 5400, "1.5 h"},
		{"ms", nil, 0, "0 ms"},
		{"ms", nil, 1500, "1.5 s"},
		{"ms", nil, -90_000, "-1.5 min"},
		{"ns", nil, 1500, "1.5 µs"},
		{"bytes", nil, 1536, "1.5 KiB"},
		{"decbytes", nil, 1500, "1.5 kB"},
		{"kbytes", nil, 1536, "1.5 MiB"},
		{"bps", nil, 2e6, "2 Mb/s"},
		{"percent", nil, 99.999, "99.999%"},
		{"percentunit", nil, 0, "0%"},
		{"percentunit", nil, 0.4875, "48.75%"},
		{"percentunit", &one, 0.4875, "48.8%"},
		{"currencyUSD", nil, 12.5, "$12.5"},
		{"prefix:≈", nil, 2, "≈2"},
		{"suffix: rooms", nil, 2, "2 rooms"},
		{"rooms", nil, 2, "2 rooms"},
		{"dateTimeAsIso", nil, 1.7e12, "1700000000000"},
		{"time:YYYY", nil, 3, "3"},
	} {
		format := formatOf(c.unit, c.decimals)
		var decimals any
		if c.decimals != nil {
			decimals = *c.decimals
		}
		own := formatInScript(known, c.unit, decimals)
		if format.isPlain() != (own == "") || own != "" && inScript(own, c.value) != c.want {
			t.Errorf("the unit %q has the format %s in pages and %s in scripts", c.unit, format.JSON(), own)
		}
		if got, script := format.text(c.value), inScript(format.JSON(), c.value); got != c.want || script != c.want {
			t.Errorf("%v in %q is %q in pages and %q in scripts, want %q", c.value, c.unit, got, script, c.want)
		}
	}
}
