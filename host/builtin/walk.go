package builtin

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/slipway-dev/slipway/internal/jsontype"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/frame"
)

const (
	maxSeries = 100
	maxCount  = 10_000 // points of a series
	maxAlias  = 200    // bytes; each series repeats it
)

// walk is a random walk. Its fields with names are options of the query.
type walk struct {
	Alias       string  `json:"alias"`
	SeriesCount int     `json:"seriesCount"`
	StartValue  float64 `json:"startValue"`
	Spread      float64 `json:"spread"` // a step is at most half of it, up or down
	Noise       float64 `json:"noise"`  // at most, added to what is shown
	Min         float64 `json:"min"`
	Max         float64 `json:"max"`
	DropPercent float64 `json:"dropPercent"` // of the points are left out

	refID      string
	from, step int64 // milliseconds
	count      int   // points of a series
}

// newWalk returns a walk over the time range of a query, with at most MaxDataPoints points.
func newWalk(q sdk.Query) (*walk, error) {
	w := &walk{SeriesCount: 1, StartValue: math.NaN(), Spread: 1, Min: math.Inf(-1), Max: math.Inf(1)}
	if err := json.Unmarshal(q.JSON, w); err != nil {
		if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return nil, sdk.Errorf(http.StatusBadRequest, "%s must be %s, found %s", e.Field, jsontype.Of(e.Type), jsontype.Name(e.Value))
		}
		return nil, sdk.Errorf(http.StatusBadRequest, "invalid query: %v", err)
	}
	switch {
	case w.SeriesCount < 1 || w.SeriesCount > maxSeries:
		return nil, sdk.Errorf(http.StatusBadRequest, "seriesCount must be from 1 to %d", maxSeries)
	case len(w.Alias) > maxAlias:
		return nil, sdk.Errorf(http.StatusBadRequest, "alias must not be longer than %d bytes", maxAlias)
	case w.Min > w.Max:
		return nil, sdk.Errorf(http.StatusBadRequest, "min must not be greater than max")
	case w.DropPercent < 0 || w.DropPercent > 100:
		return nil, sdk.Errorf(http.StatusBadRequest, "dropPercent must be from 0 to 100")
	}
	w.refID, w.from = q.RefID, q.TimeRange.From.UnixMilli()
	span, most := q.TimeRange.To.UnixMilli()-w.from, min(max(q.MaxDataPoints, 1), maxCount)
	w.step = max(q.Interval.Milliseconds(), (span+most-1)/most, 1)
	w.count = int(min(span/w.step+1, most))
	return w, nil
}

func (w *walk) points() int { return w.count * w.SeriesCount }

func (w *walk) frames() []sdk.Frame {
	frames := make([]sdk.Frame, w.SeriesCount)
	for i := range frames {
		name := cmp.Or(w.Alias, w.refID+"-series")
		if i > 0 {
			name += strconv.Itoa(i)
		}
		times, values := w.run()
		f := frame.New(name, frame.Of("time", times), frame.Of(name, values))
		f.RefID, f.Meta = w.refID, &frame.Meta{Type: frame.TimeSeriesMulti, TypeVersion: [2]uint{0, 1}}
		frames[i] = f
	}
	return frames
}

func (w *walk) run() (times []time.Time, values []float64) {
	value := w.StartValue
	if math.IsNaN(value) {
		value = 100 * rand.Float64()
	}
	for i := range w.count {
		value = max(w.Min, min(value, w.Max))
		shown := max(w.Min, min(value+w.Noise*rand.Float64(), w.Max))
		value += w.Spread * (rand.Float64() - 0.5)
		if 100*rand.Float64() < w.DropPercent {
			continue
		}
		times = append(times, time.UnixMilli(w.from+int64(i)*w.step).UTC())
		values = append(values, shown)
	}
	return times, values
}
