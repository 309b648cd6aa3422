package rules

import (
	"fmt"
	"strings"
	"sync"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
	"github.com/slipway-dev/slipway/validate/shared"
)

func backendOutsideRange(p *validate.Pass) {
	d, ok := publishedIn(p, inspect.HostRanges.Of(p))
	if !ok {
		return
	}
	words := []string{"useragent"}
	for name, fact := range sdkFacts() {
		if d.Admitted&^fact.hosts != 0 {
			words = append(words, name[strings.LastIndexByte(name, '.')+1:])
		}
	}
	if len(words) == 1 {
		return
	}
	inspect.EachSDKUse(p, func(name string, isGuarded bool, at func() validate.Place) {
		fact, ok := sdkFacts()[name]
		if !ok || d.Admitted&^fact.hosts == 0 {
			return
		}
		f := validate.Finding{Place: at(), Message: fmt.Sprintf("%s: existing hosts %s", name, fact.what)}
		if isGuarded || fact.isOptional {
			f.Severity = guardedUse.in(p)
		}
		d.report(p, f, d.Admitted&^fact.hosts)
	}, words...)
}

// sdkFact says since when hosts call or send something.
type sdkFact struct {
	hosts      shared.Set // at most these
	what       string
	isOptional bool // the backend goes on without it
}

// sdkFacts holds what is known, with its source: pull requests of https://github.com/grafana/grafana, or of
// another repository there that is named. No version before these calls or sends it; that every later one
// does is not said. What all versions since 8.0 have is left out: queries, resources, health and streams.
var sdkFacts = sync.OnceValue(func() map[string]sdkFact {
	call := func(since string) sdkFact {
		return sdkFact{hosts: hosts(">=" + since), what: "do not call it before " + since}
	}
	send := func(since string) sdkFact {
		return sdkFact{hosts: hosts(">=" + since), what: "do not send it before " + since}
	}
	optional := func(f sdkFact) sdkFact {
		f.isOptional = true
		return f
	}
	return map[string]sdkFact{
		// 75171, and the comment of the field UserAgent in the SDK
		"PluginContext.UserAgent":     optional(send("10.2")),
		"PluginContext.PluginVersion": optional(send("10.2")),
		// grafana-plugin-sdk-go/1521: "it can not be depended on until G13+"
		"PluginContext.Namespace": send("13.0"),

		"GrafanaCfg.AppURL":                 send("10.3"), // 77455, after 10.2.0
		"GrafanaCfg.ConcurrentQueryCount":   send("10.4"), // 81212, in the changelog of 10.4.0
		"GrafanaCfg.SQL":                    send("10.4"), // 83060, after 10.3.0
		"GrafanaCfg.UserFacingDefaultError": send("10.4"), // 83060

		// 87718, and the comments of the handlers in the SDK: "Since grafana 11.1"
		"ValidateAdmission": call("11.1"),
		"MutateAdmission":   call("11.1"),
		"ConvertObjects":    call("11.1"),
		// the guide of plugin-tools to query migrations
		"ConvertQueryDataRequest": call("11.4"),
		// 118223, after 12.4.0; other hosts call QueryData
		"QueryChunkedData": optional(call("13.0")),
	}
})
