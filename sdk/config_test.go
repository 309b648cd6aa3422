package sdk_test

import (
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/sdk"
)

// told is what the methods of Config return.
type told struct {
	AppURL, Version, Region string
	IsOn, IsOff             bool
	Queries                 int
	SQL                     sdk.SQLLimits
}

func toldBy(c sdk.Config) told {
	return told{c.AppURL(), c.Version(), c.Setting("region"), c.IsEnabled("on"), c.IsEnabled("o"), c.ConcurrentQueries(), c.SQL()}
}

// A plugin learns the same from the context of a call and, where hosts set variables instead, from
// those of this host and of existing ones.
func TestConfig(t *testing.T) {
	want := told{AppURL: "http://host", Version: "11.0.0", Region: "north", IsOn: true, Queries: 10,
		SQL: sdk.SQLLimits{Rows: 1 << 40, MaxOpenConns: 100, MaxIdleConns: 50, ConnLifetime: 4 * time.Hour}}
	shared := map[string]string{"APP_URL": want.AppURL, "VERSION": want.Version, "PLUGIN_REGION": want.Region, "INSTANCE_FEATURE_TOGGLES_ENABLE": "off,on"}
	c := sdk.Config{"GF_CONCURRENT_QUERY_COUNT": "10", "GF_SQL_ROW_LIMIT": "1099511627776", "GF_SQL_MAX_OPEN_CONNS_DEFAULT": "100",
		"GF_SQL_MAX_IDLE_CONNS_DEFAULT": "50", "GF_SQL_MAX_CONN_LIFETIME_SECONDS_DEFAULT": "14400"}
	t.Run("context", func(t *testing.T) {
		full := sdk.Config{}
		for name, value := range shared {
			full["GF_"+name] = value
		}
		maps.Copy(full, c)
		t.Setenv("GF_APP_URL", "http://other")
		if diff := cmp.Diff(want, toldBy(full)); diff != "" {
			t.Error(diff)
		}
	})
	for _, prefix := range []string{"SVC_", "GF_"} {
		t.Run(prefix, func(t *testing.T) {
			for name, value := range shared {
				t.Setenv(prefix+name, value)
			}
			if diff := cmp.Diff(want, toldBy(c)); diff != "" {
				t.Error(diff)
			}
		})
	}
	if diff := cmp.Diff(told{}, toldBy(sdk.Config{"GF_SQL_ROW_LIMIT": "-1", "GF_SQL_MAX_OPEN_CONNS_DEFAULT": "4294967296", "GF_CONCURRENT_QUERY_COUNT": "x"})); diff != "" {
		t.Errorf("invalid numbers: %s", diff)
	}
}

// Messages name the variable of the host that runs the plugin.
func TestEnvName(t *testing.T) {
	for _, c := range []struct {
		set  []string
		want string
	}{
		{nil, "SVC_X"},
		{[]string{"GF_VERSION"}, "GF_X"},
		{[]string{"GF_VERSION", "SVC_VERSION"}, "SVC_X"},
		{[]string{"GF_X"}, "GF_X"},
		{[]string{"GF_VERSION", "SVC_X"}, "SVC_X"},
	} {
		t.Run("", func(t *testing.T) {
			for _, name := range c.set {
				t.Setenv(name, "1")
			}
			if got := sdk.EnvName("SVC_X"); got != c.want {
				t.Errorf("with %v: %s, want %s", c.set, got, c.want)
			}
			if got := sdk.EnvName("OTHER"); got != "OTHER" {
				t.Errorf("OTHER became %s", got)
			}
		})
	}
}
