package rules

import (
	"bytes"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

// trackers returns the domains of well-known services that record what users do.
func trackers() []string {
	return []string{
		"adroll.com", "addthis.com", "amplitude.com", "bat.bing.com", "chartbeat.com", "crazyegg.com", "criteo.com", "doubleclick.net",
		"fullstory.com", "getclicky.com", "google-analytics.com", "googlesyndication.com", "googletagmanager.com", "heapanalytics.com",
		"hotjar.com", "hs-analytics.net", "inspectlet.com", "kissmetrics.com", "mc.yandex.ru", "mixpanel.com", "mouseflow.com",
		"nr-data.net", "optimizely.com", "outbrain.com", "piwik.pro", "quantserve.com", "scorecardresearch.com", "segment.com",
		"sharethis.com", "statcounter.com", "stats.wp.com", "taboola.com", "track.hubspot.com", "woopra.com",
	}
}

func trackingHost() validate.Rule {
	return validate.Rule{
		ID:      "tracking-host",
		Summary: "frontend with the address of a tracking service",
		Why: "Plugins run in the browsers of people who have not agreed to be tracked, often on networks that must not leak anything. " +
			"The catalog refuses such plugins; its list is longer than the one here.",
		Help:  "remove the tracking code, or the package that contains it",
		Where: validate.Dist | validate.Zip,
		Check: func(p *validate.Pass) {
			m := inspect.Module.Of(p)
			seen := map[string]bool{}
			for from := 0; ; {
				i := bytes.Index(m.Data[from:], []byte("://"))
				if i < 0 {
					return
				}
				from += i + len("://")
				host := hostAt(m.Data[from:])
				if !seen[host] && slices.ContainsFunc(trackers(), func(t string) bool { return host == t || strings.HasSuffix(host, "."+t) }) {
					seen[host] = true
					p.Reportf(inspect.PlaceIn(p, m.File, m.Data, from, from+len(host)), "module.js contains an address of the tracking service %s", host)
				}
			}
		},
	}
}

// hostAt returns the host that data begins with.
func hostAt(data []byte) string {
	data = data[:min(len(data), 253)] // the longest name of DNS
	end := bytes.IndexFunc(data, func(r rune) bool { return r != '.' && !isIDLetter(r) })
	if end < 0 {
		end = len(data)
	}
	return string(data[:end])
}
