package api

import (
	"context"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/loader"
)

// pluginFigures are the figures of a plugin. Durations are in seconds.
type pluginFigures struct {
	State      loader.State  `json:"state"`
	Restarts   int           `json:"restarts"`
	Running    int           `json:"running"`              // calls in progress
	Memory     uint64        `json:"memory,omitempty"`     // resident bytes of the process, if the system provides it
	CPUSeconds float64       `json:"cpuSeconds,omitempty"` // of the process since its start, likewise
	Calls      []callFigures `json:"calls"`                // by kind; those of kinds that occurred
	StepLength float64       `json:"stepSeconds"`
	Steps      []stepFigures `json:"steps"` // of the last 15 minutes, oldest first, without those in which nothing was measured
}

// durations describe the calls to a plugin, in a total or in a step.
type durations struct {
	Count  uint64     `json:"count"`
	Errors callErrors `json:"errors"`
	Mean   float64    `json:"mean"`
	P95    float64    `json:"p95"` // estimated from a histogram
}

// callErrors count failed calls by their source.
type callErrors struct {
	Plugin     uint64 `json:"plugin"`
	Downstream uint64 `json:"downstream"`
}

type callFigures struct {
	Kind loader.Call `json:"kind"`
	durations
}

type stepFigures struct {
	Time time.Time `json:"time"` // the beginning
	durations
	Memory uint64 `json:"memory,omitempty"` // bytes
}

func (a *API) pluginFigures(_ context.Context, _ host.Identity, in pluginPath) (pluginFigures, error) {
	p, err := a.plugin(in.ID)
	if err != nil {
		return pluginFigures{}, err
	}
	s, f := p.Status(), p.Figures()
	out := pluginFigures{
		State: s.State, Restarts: s.Restarts, Running: f.Running, Memory: f.Usage.Memory, CPUSeconds: f.Usage.CPU.Seconds(),
		StepLength: loader.Step.Seconds(), Steps: []stepFigures{},
		Calls: mapped(f.Calls, func(c loader.CallFigures) callFigures {
			return callFigures{c.Call, durationsOf(c.Durations, c.Errors)}
		}),
	}
	for _, s := range f.Steps {
		out.Steps = append(out.Steps, stepFigures{s.Time.UTC(), durationsOf(s.Durations, s.Errors), s.Memory})
	}
	return out, nil
}

func durationsOf(h loader.Histogram, e loader.Errors) durations {
	return durations{h.Count(), callErrors{e.Plugin, e.Downstream}, h.Mean(), h.Quantile(.95)}
}
