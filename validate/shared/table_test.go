package shared

import (
	"testing"

	"github.com/slipway-dev/slipway/bundle/ranges"
	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestTable(t *testing.T) {
	t.Parallel()
	if len(text) > 150<<10 {
		t.Errorf("the table has %d bytes: it is part of each program", len(text))
	}
	minors := Minors()
	at := func(major, minor uint64) int {
		for i, v := range minors {
			if v.Major() == major && v.Minor() == minor {
				return i
			}
		}
		t.Fatalf("the table lacks %d.%d", major, minor)
		return 0
	}
	if len(minors) > 64 || minors[0].String() != "8.0.0" {
		t.Errorf("minor versions: %v", minors)
	}
	for _, c := range []struct {
		module, name        string
		major, minor        uint64
		isValue, isType, is bool
	}{
		{"@grafana/ui", "Combobox", 11, 4, false, false, true},
		{"@grafana/ui", "Combobox", 11, 5, true, false, true},
		{"@grafana/ui", "Graph", 12, 4, true, false, true},
		{"@grafana/ui", "Graph", 13, 0, false, false, true},
		{"@grafana/ui", "ButtonProps", 10, 4, false, true, true},
		{"@grafana/ui", "AxisPlacement", 8, 5, true, false, true}, // which the package in npm lacks, and the host has
		{"@grafana/ui", "Bottun", 13, 0, false, false, false},
		{"@grafana/data", "LoadingState", 8, 0, true, false, true},
		{"@grafana/runtime", "usePluginLinks", 11, 1, true, false, true},
		{"@grafana/data/unstable", "useFieldOverrides", 11, 5, false, false, false},
		{"react", "useId", 9, 5, false, false, true},
		{"react", "useId", 10, 0, true, false, true},
		{"react-dom", "render", 13, 2, false, false, true},
		{"rxjs", "firstValueFrom", 8, 1, false, false, true},
		{"d3", "event", 9, 3, true, false, true},
		{"d3", "event", 9, 4, false, false, true},
		{"d3", "pointer", 9, 4, true, false, true},
		{"emotion", "css", 8, 0, true, false, true},
		{"rxjs/operators", "map", 8, 0, true, false, true},
	} {
		m, ok := Find(c.module)
		if !ok {
			t.Fatalf("no %s", c.module)
		}
		name, is := m.Name(c.name)
		i := at(c.major, c.minor)
		if is != c.is || name.Values.Has(i) != c.isValue || name.Types.Has(i) != c.isType {
			t.Errorf("%s of %s in %d.%d: %+v, %t", c.name, c.module, c.major, c.minor, name, is)
		}
	}
	data, _ := Find("@grafana/data")
	if v, _ := data.Name("ArrayVector"); v.Advice != "use a simple Array<T>" || !v.Deprecated.Has(at(10, 0)) || v.Deprecated.Has(at(9, 5)) {
		t.Errorf("ArrayVector: %+v", v)
	}
	ui, _ := Find("@grafana/ui")
	if v, _ := ui.Name("LegacyInputStatus"); !v.Deprecated.Has(at(13, 2)) { // exported by a file that imports it
		t.Errorf("LegacyInputStatus: %+v", v)
	}
	if React(at(9, 5)) != 17 || React(at(10, 0)) != 18 || React(at(13, 1)) != 18 || React(at(13, 2)) != 19 {
		t.Error("the major versions of React are wrong")
	}
}

func TestAdmitted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		">=13.2 <13.3": "13.2", "10.4.x": "10.4", "~11.0.1 || 12.1.2": "11.0 12.1", ">=13.1.0-0 <13.3": "13.1 13.2",
		"<8.0.0": "", "8.0.9": "8.0",
	} {
		r := testkit.Must(ranges.Parse(text))(t)
		got := ""
		for i, v := range Minors() {
			if Admitted(r).Has(i) {
				if got != "" {
					got += " "
				}
				got += v.String()[:len(v.String())-2]
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestProviders(t *testing.T) {
	t.Parallel()
	for name, text := range modules() {
		if _, _, ok := Providers(name); !ok {
			t.Errorf("%s: the range %s is invalid", name, text)
		}
	}
	if _, _, ok := Providers("acme"); ok {
		t.Error("nothing is known of acme")
	}
}
