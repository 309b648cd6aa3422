package rules

import (
	"regexp"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

// addressHost matches the host of an address.
var addressHost = regexp.MustCompile(`://([a-z0-9.-]+)`)

func trackingHost(p *validate.Pass) {
	m := inspect.Module.Of(p)
	trackers := []string{ // domains of well-known services that record what users do
		"adroll.com", "addthis.com", "amplitude.com", "bat.bing.com", "chartbeat.com", "crazyegg.com", "criteo.com", "doubleclick.net",
		"fullstory.com", "getclicky.com", "google-analytics.com", "googlesyndication.com", "googletagmanager.com", "heapanalytics.com",
		"hotjar.com", "hs-analytics.net", "inspectlet.com", "kissmetrics.com", "mc.yandex.ru", "mixpanel.com", "mouseflow.com",
		"nr-data.net", "optimizely.com", "outbrain.com", "piwik.pro", "quantserve.com", "scorecardresearch.com", "segment.com",
		"sharethis.com", "statcounter.com", "stats.wp.com", "taboola.com", "track.hubspot.com", "woopra.com",
	}
	seen := map[string]bool{}
	for _, at := range addressHost.FindAllSubmatchIndex(m.Data, -1) {
		host := string(m.Data[at[2]:at[3]])
		if !seen[host] && slices.ContainsFunc(trackers, func(t string) bool { return host == t || strings.HasSuffix(host, "."+t) }) {
			seen[host] = true
			p.Reportf(inspect.PlaceIn(p, m.File, m.Data, at[2], at[3]), "module.js contains an address of the tracking service %s", host)
		}
	}
}
