// This program is the backend of a data source for the sales and the stock of a shop
// with an HTTP API. It has two query types and a stream. Its test runs it against a fake
// shop.
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

// settings are what an administrator enters in addition to the URL and the
// authentication, which httpclient reads.
type settings struct {
	Currency string `json:"currency" required:"true"`
	PollMS   int    `json:"pollMs"`
}

// Validate limits polling to ten times per second.
func (s settings) Validate() error {
	if s.PollMS != 0 && s.PollMS < 100 {
		return fmt.Errorf("\"pollMs\" must be at least 100, found %d", s.PollMS)
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

// Close closes the connections. The SDK calls it after the last call, when the settings
// have changed.
func (s *shop) Close() error { return s.client.Close() }

// QueryData selects a handler by the type of the query.
func (s *shop) QueryData(ctx context.Context, req *sdk.QueryDataRequest) (sdk.QueryDataResponse, error) {
	return sdk.QueryTypes{
		"sales": sdk.EachQuery(s.sales),
		"stock": sdk.EachQuery(s.stock),
	}.QueryData(ctx, req)
}

// article is the JSON of both query types.
type article struct {
	Name string `json:"article"`
}

// Validate rejects a query without an article.
func (a article) Validate() error {
	if a.Name == "" {
		return fmt.Errorf("\"article\" is missing")
	}
	return nil
}

// sale is a sale in the shop's API.
type sale struct {
	Time  time.Time `json:"time"`
	Price float64   `json:"price"`
}

// sales returns the prices of an article as a time series.
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

// stock returns how many pieces of an article are in stock.
func (s *shop) stock(ctx context.Context, _ sdk.Query, a article) ([]sdk.Frame, error) {
	pieces, err := s.pieces(ctx, a.Name)
	if err != nil {
		return nil, err
	}
	return []sdk.Frame{frame.New(a.Name, frame.Of("pieces", []int64{pieces}))}, nil
}

// pieces returns the stock of an article. GetJSON escapes the name, and its errors have
// a status and a message for users; see sdk.Error.
func (s *shop) pieces(ctx context.Context, name string) (int64, error) {
	return httpclient.GetJSON[int64](ctx, s.client, "articles", name, "stock")
}

// CheckHealth gets the name of the shop.
func (s *shop) CheckHealth(ctx context.Context, _ *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) {
	name, err := httpclient.GetJSON[string](ctx, s.client, "name")
	if err != nil {
		return nil, err
	}
	return &sdk.CheckHealthResult{Status: sdk.HealthOK, Message: "connected to " + name}, nil
}

// SubscribeStream allows users to subscribe to the stock of an article, whose name is
// the path of the channel, and sends them the current stock. Channels have no spaces, so an
// article with a space in its name has none.
func (s *shop) SubscribeStream(ctx context.Context, req *sdk.StreamRequest) (json.RawMessage, error) {
	return httpclient.GetJSON[json.RawMessage](ctx, s.client, "articles", req.Path, "stock")
}

// RunStream sends the stock of an article whenever it changes. A 404 response from the
// shop ends the channel for good; after other errors, the host runs it again.
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
