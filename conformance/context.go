package conformance

import (
	"context"
	"fmt"
	"sync"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
)

func nilContext(ctx context.Context, s *subject, c call) Verdict {
	return s.harmless(ctx, string(c)+" without a pluginContext", s.do(ctx, c, nil, nil))
}

func bareContext(ctx context.Context, s *subject, c call) Verdict {
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
		{"without a user", noUser},
		{"with empty settings", empty},
		{"with nothing but an organization", &pluginv2.PluginContext{OrgId: 1}},
	} {
		if v := s.harmless(ctx, fmt.Sprintf("%s %s", c, one.name), s.do(ctx, c, one.who, nil)); v.Outcome != Passed {
			return v
		}
	}
	return passed()
}

// settingsChange makes calls for four organizations concurrently while the settings of
// each one change.
func settingsChange(ctx context.Context, s *subject, has []call) Verdict {
	for _, c := range has {
		s.usually(ctx, c)
	}
	const organizations, versions = 4, 10
	verdicts := make([]Verdict, organizations)
	var group sync.WaitGroup
	for n := range verdicts {
		group.Go(func() {
			org := int64(n) + 1
			for version := range int64(versions) {
				for _, c := range has {
					sent := fmt.Sprintf("%s for organization %d with version %d of its settings, during calls for others", c, org, version)
					verdicts[n] = s.asUsual(ctx, c, sent, s.do(ctx, c, s.context(org, version+2), nil))
					if verdicts[n].Outcome != Passed {
						return
					}
				}
			}
		})
	}
	group.Wait()
	verdict := firstNotPassed(verdicts)
	if verdict.Outcome == Failed && verdict.Help != helpPanic {
		verdict.Help = "keep one instance per organization and data source, and replace it when its settings change"
	}
	return verdict
}

func firstNotPassed(verdicts []Verdict) Verdict {
	for _, v := range verdicts {
		if v.Outcome != Passed {
			return v
		}
	}
	return passed()
}
