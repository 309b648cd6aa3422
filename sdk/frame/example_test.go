package frame_test

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/slipway-dev/slipway/sdk/frame"
)

func Example() {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	price := frame.Of[*float64]("price", nil).Unit("currencyEUR").Label("shop", "a")
	times := frame.Of("time", []time.Time{at, at.Add(time.Minute)})
	price.Append(new(1.5))
	price.Append(nil)

	f := frame.New("sales", times, price) // in a response: []sdk.Frame{f}
	f.Meta = &frame.Meta{Type: frame.TimeSeriesWide, TypeVersion: [2]uint{0, 1}}

	text, err := json.MarshalIndent(f, "", " ")
	fmt.Println(string(text), err)
	// Output:
	// {
	//  "schema": {
	//   "name": "sales",
	//   "meta": {
	//    "type": "timeseries-wide",
	//    "typeVersion": [
	//     0,
	//     1
	//    ]
	//   },
	//   "fields": [
	//    {
	//     "name": "time",
	//     "type": "time",
	//     "typeInfo": {
	//      "frame": "time.Time"
	//     }
	//    },
	//    {
	//     "name": "price",
	//     "type": "number",
	//     "typeInfo": {
	//      "frame": "float64",
	//      "nullable": true
	//     },
	//     "labels": {
	//      "shop": "a"
	//     },
	//     "config": {
	//      "unit": "currencyEUR"
	//     }
	//    }
	//   ]
	//  },
	//  "data": {
	//   "values": [
	//    [
	//     1795262400000,
	//     1795262460000
	//    ],
	//    [
	//     1.5,
	//     null
	//    ]
	//   ]
	//  }
	// } <nil>
}

func ExampleColumn_Texts() {
	state := frame.Of("state", []frame.Enum{0, 1}).Texts("off", "on")
	file, err := frame.New("switches", state).MarshalArrow()
	fmt.Printf("%s %v\n", file[:6], err)
	// Output: ARROW1 <nil>
}
