package frametest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/slipway-dev/slipway/sdk/frame"
)

func series() ([]time.Time, []float64, []*float64) {
	times, values, nullable := make([]time.Time, 100_000), make([]float64, 100_000), make([]*float64, 100_000)
	at := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	for row := range times {
		times[row], values[row] = at.Add(time.Duration(row)*time.Second), float64(row)/3
		if row%10 > 0 {
			nullable[row] = &values[row]
		}
	}
	return times, values, nullable
}

// 100,000 rows of a time and a number.
func BenchmarkMarshalArrow(b *testing.B) {
	times, values, nullable := series()
	run := func(name string, f interface{ MarshalArrow() ([]byte, error) }) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.MarshalArrow(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("frame", frame.New("f", frame.Of("time", times), frame.Of("value", values)))
	run("data", data.NewFrame("f", data.NewField("time", nil, times), data.NewField("value", nil, values)))
	run("frame_nullable", frame.New("f", frame.Of("time", times), frame.Of("value", nullable)))
	run("data_nullable", data.NewFrame("f", data.NewField("time", nil, times), data.NewField("value", nil, nullable)))
}

func BenchmarkMarshalJSON(b *testing.B) {
	times, values, _ := series()
	run := func(name string, f json.Marshaler) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := json.Marshal(f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("frame", frame.New("f", frame.Of("time", times), frame.Of("value", values)))
	run("data", data.NewFrame("f", data.NewField("time", nil, times), data.NewField("value", nil, values)))
}
