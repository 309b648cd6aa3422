package console

import (
	"encoding/json"
	"html/template"
	"math"
	"net/url"
	"slices"
	"time"
)

// mostRecords is how many records of a log a page contains.
const mostRecords = 200

// pluginLog is the log of a plugin, as GET /api/plugins/{id}/logs returns it.
type pluginLog struct {
	Records []record
	Dropped int64

	Level, Text string `json:"-"` // the filter
}

// record is an entry of a log.
type record struct {
	Number  int64
	Time    time.Time
	Level   string
	Message string
	Fields  json.RawMessage
}

// FieldsText returns the fields as JSON, or "".
func (r record) FieldsText() string { return string(r.Fields) }

// logOf returns the last records that the filter in the URL of the page selects, the latest
// first, or nil if the API has none.
func logOf(c *client, path string) (*pluginLog, error) {
	q := c.r.URL.Query()
	var log *pluginLog
	filter := url.Values{"level": {q.Get("level")}, "text": {q.Get("text")}}
	if filter.Get("level") == "" {
		filter.Del("level")
	}
	if err := c.getOptional(path+"/logs?"+filter.Encode(), &log); err != nil || log == nil {
		return nil, err
	}
	log.Level, log.Text = q.Get("level"), q.Get("text")
	slices.Reverse(log.Records)
	log.Records = log.Records[:min(len(log.Records), mostRecords)]
	return log, nil
}

// figures describe the calls to a plugin and its process, as GET /api/plugins/{id}/figures
// returns them. Durations are in seconds.
type figures struct {
	Running     int
	Memory      float64 // bytes
	CPUSeconds  float64
	StepSeconds float64
	Steps       []step

	Plots []labeledPlot `json:"-"`
}

// step describes the calls in a short time.
type step struct {
	Time   time.Time
	Count  float64
	Errors struct{ Plugin, Downstream float64 }
	Mean   float64
	P95    float64
	Memory float64
}

// labeledPlot is a small plot.
type labeledPlot struct {
	Key    string // of its title in language.json
	Plot   template.HTML
	Legend []string
}

// maxFigures is how long ago the first step can be.
const maxFigures = 15 * time.Minute

// draw sets the plots.
func (f *figures) draw(l func(key string, args ...any) string, now time.Time) {
	if len(f.Steps) == 0 || f.StepSeconds <= 0 {
		return
	}
	asked := span{now.Add(-maxFigures).UnixMilli(), now.UnixMilli()}
	add := func(key, unit string, names []string, values ...func(step) float64) {
		p, format := labeledPlot{Key: key}, formatOf(unit, nil)
		var all []series
		for i, value := range values {
			line := series{Name: l(names[i]), Format: format}
			for _, s := range f.Steps {
				v := value(s)
				if math.Abs(v) > maxValue {
					v = math.NaN()
				}
				line.Points = append(line.Points, point{float64(s.Time.UnixMilli()), v})
			}
			all, p.Legend = append(all, line), append(p.Legend, line.Name)
		}
		p.Plot = linePlot(l(key), all, asked)
		f.Plots = append(f.Plots, p)
	}
	ifCalled := func(s step, v float64) float64 {
		if s.Count == 0 {
			return math.NaN()
		}
		return v
	}
	add("figures.calls", "", []string{"figures.calls.rate"}, func(s step) float64 { return s.Count / f.StepSeconds })
	add("figures.errors", "", []string{"figures.errors.plugin", "figures.errors.downstream"},
		func(s step) float64 { return s.Errors.Plugin / f.StepSeconds }, func(s step) float64 { return s.Errors.Downstream / f.StepSeconds })
	add("figures.durations", "s", []string{"figures.mean", "figures.p95"},
		func(s step) float64 { return ifCalled(s, s.Mean) }, func(s step) float64 { return ifCalled(s, s.P95) })
	add("figures.memory", "bytes", []string{"figures.memory.resident"}, func(s step) float64 {
		if s.Memory == 0 {
			return math.NaN()
		}
		return s.Memory
	})
}
