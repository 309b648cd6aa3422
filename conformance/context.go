package conformance

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
)

func nilContext(c call) func(context.Context, *subject) Verdict {
	return func(ctx context.Context, s *subject) Verdict {
		if s.lacks(ctx, c) {
			return skipLack(c)
		}
		v, _ := s.harmless(ctx, string(c)+" without a context (pluginContext is not set)", s.make(ctx, c, nil, nil))
		return v
	}
}

func bareContext(ctx context.Context, s *subject) Verdict {
	has := s.supported(ctx, calls()...)
	if len(has) == 0 {
		return skipLack(calls()...)
	}
	noUser := s.context(1, 1)
	noUser.User = nil
	empty := s.context(1, 1)
	if empty.DataSourceInstanceSettings != nil {
		empty.DataSourceInstanceSettings = &pluginv2.DataSourceInstanceSettings{}
	} else {
		empty.AppInstanceSettings = &pluginv2.AppInstanceSettings{}
	}
	for _, one := range []struct {
		name string
		who  *pluginv2.PluginContext
	}{
		{"no user", noUser},
		{"settings in which nothing is set", empty},
		{"an organisation and nothing else", &pluginv2.PluginContext{OrgId: 1}},
	} {
		for _, c := range has {
			if v, ok := s.harmless(ctx, fmt.Sprintf("%s with %s", c, one.name), s.make(ctx, c, one.who, nil)); !ok {
				return v
			}
		}
	}
	return passed()
}

// settingsChange calls on behalf of four organisations at once while the settings of
// each change.
func settingsChange(ctx context.Context, s *subject) Verdict {
	has := s.supported(ctx, callQuery, callHealth, callResource)
	if len(has) == 0 {
		return skipLack(callQuery, callHealth, callResource)
	}
	for _, c := range has {
		s.usually(ctx, c)
	}
	const organisations, versions = 4, 10
	var group sync.WaitGroup
	var mu sync.Mutex
	verdict := passed()
	for org := range int64(organisations) {
		group.Go(func() {
			for version := range int64(versions) {
				for _, c := range has {
					sent := fmt.Sprintf("%s for the organisation %d with the settings of version %d, as others call too", c, org+1, version)
					v := s.asUsual(ctx, c, sent, s.make(ctx, c, s.context(org+1, version+2), nil))
					if v.Outcome != Passed {
						mu.Lock()
						verdict = v
						mu.Unlock()
						return
					}
				}
			}
		})
	}
	group.Wait()
	if verdict.Outcome == Failed && !strings.Contains(verdict.Got, "panicked") {
		verdict.Help = "keep an instance for each organisation and data source, and replace it, not change it, when its settings do"
	}
	return verdict
}

// asUsual fails a reply that is worse than the one to a single call, which has to have
// been made.
func (s *subject) asUsual(ctx context.Context, c call, sent string, r reply) Verdict {
	if v, ok := s.harmless(ctx, sent, r); !ok {
		return v
	}
	if before := s.usual[c]; before.isOK && !r.isOK {
		return failed(sent, r.got+"; a single call got "+before.got, "handlers are called concurrently: guard what they share")
	}
	return passed()
}
