// A data source with two query types and a stream: the sales of a shop that has an
// HTTP API. Its test runs it in process, against a shop of its own.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/frame"
	"github.com/slipway-dev/slipway/sdk/httpclient"
)

func main() {
	sdk.Serve(sdk.DataSources(newShop).Plugin())
}

// settings are what an administrator enters, beside the address and the sign-in, which
// httpclient reads.
type settings struct {
	Currency string `json:"currency" required:"true"`
	PollMS   int    `json:"pollMs"`
}

// Validate allows polling ten times a second at most.
func (s settings) Validate() error {
	if s.PollMS != 0 && s.PollMS < 100 {
		return fmt.Errorf("\"pollMs\" must be 100 or more, not %d", s.PollMS)
	}
	return nil
}

// shop is one data source.
type shop struct {
	client   *httpclient.Client
	currency string
	poll     time.Duration
}

func newShop(_ context.Context, ds sdk.DataSource, s settings) (*shop, error) {
	options, err := httpclient.FromDataSource(ds)
	if err != nil {
		return nil, err
	}
	client, err := httpclient.New(options)
	if err != nil {
		return nil, err
	}
	poll := time.Duration(s.PollMS) * time.Millisecond
	if poll == 0 {
		poll = time.Second
	}
	return &shop{client: client, currency: s.Currency, poll: poll}, nil
}

// Close ends the connections. The SDK calls it when the settings have changed and the
// last request is done.
func (s *shop) Close() error { return s.client.Close() }

// QueryData routes the queries by their type.
func (s *shop) QueryData(ctx context.Context, req *sdk.QueryDataRequest) (sdk.QueryDataResponse, error) {
	return sdk.QueryTypes{
		"sales": sdk.EachQuery(s.sales),
		"stock": sdk.EachQuery(s.stock),
	}.QueryData(ctx, req)
}

// article is the JSON of both kinds of queries.
type article struct {
	Name string `json:"article"`
}

// Validate refuses a query for nothing.
func (a article) Validate() error {
	if a.Name == "" {
		return fmt.Errorf("\"article\" is missing")
	}
	return nil
}

// sale is what the shop's API says of one sale.
type sale struct {
	Time  time.Time `json:"time"`
	Price float64   `json:"price"`
}

// sales answers with a time series.
func (s *shop) sales(ctx context.Context, q sdk.Query, a article) ([]sdk.Frame, error) {
	list, err := httpclient.GetJSON[[]sale](ctx, s.client, "articles", a.Name, "sales")
	if err != nil {
		return nil, err
	}
	times := frame.Of[time.Time]("time", nil)
	prices := frame.Of[float64]("price", nil).Unit("currency" + s.currency)
	for _, one := range list {
		if !one.Time.Before(q.TimeRange.From) && !one.Time.After(q.TimeRange.To) {
			times.Append(one.Time)
			prices.Append(one.Price)
		}
	}
	return []sdk.Frame{frame.New(a.Name, times, prices)}, nil
}

// stock answers with a number.
func (s *shop) stock(ctx context.Context, _ sdk.Query, a article) ([]sdk.Frame, error) {
	pieces, err := s.pieces(ctx, a.Name)
	if err != nil {
		return nil, err
	}
	return []sdk.Frame{frame.New(a.Name, frame.Of("pieces", []int64{pieces}))}, nil
}

// pieces asks the shop. What name holds never leads out of its API, and that the shop
// cannot be reached, or takes too long, needs no words of ours: see sdk.Error.
func (s *shop) pieces(ctx context.Context, name string) (int64, error) {
	return httpclient.GetJSON[int64](ctx, s.client, "articles", name, "stock")
}

// CheckHealth asks the shop for something that it always has.
func (s *shop) CheckHealth(ctx context.Context, _ *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) {
	name, err := httpclient.GetJSON[string](ctx, s.client, "name")
	if err != nil {
		return nil, err
	}
	return &sdk.CheckHealthResult{Status: sdk.HealthOK, Message: "connected to " + name}, nil
}

// SubscribeStream lets users subscribe to the stock of an article: its name is the
// path of the channel.
func (s *shop) SubscribeStream(ctx context.Context, req *sdk.StreamRequest) (json.RawMessage, error) {
	return httpclient.GetJSON[json.RawMessage](ctx, s.client, "articles", req.Path, "stock")
}

// RunStream sends the stock of an article, whenever it has changed. A 404 of the shop
// ends it for good; when the shop is away the host runs it again.
func (s *shop) RunStream(ctx context.Context, req *sdk.StreamRequest, to *sdk.StreamSender) error {
	ticks := time.NewTicker(s.poll)
	defer ticks.Stop()
	last := int64(-1)
	for {
		pieces, err := s.pieces(ctx, req.Path)
		if err != nil {
			return err
		}
		if pieces != last {
			last = pieces
			if err := to.Send(frame.New(req.Path, frame.Of("time", []time.Time{time.Now()}), frame.Of("pieces", []int64{pieces}))); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticks.C:
		}
	}
}
