package proxy

import (
	"crypto/tls"
	"errors"
	"net/http"

	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/httpclient"
)

// transportTo returns the transport for requests to a target. A data source whose plugin
// declares no routes can have TLS settings: those that package httpclient reads in a plugin.
func (p *Proxy) transportTo(to Target) (http.RoundTripper, error) {
	if len(to.Routes) > 0 {
		return p.transport, nil
	}
	settings, err := httpclient.TLSFromDataSource(sdk.DataSource{Settings: sdk.Settings{JSON: to.JSON, Secrets: to.Secrets}})
	if err == nil && settings == (httpclient.TLS{}) {
		return p.transport, nil
	}
	if known, ok := p.tls.Load(settings); ok {
		return known.(*http.Transport), nil
	}
	var config *tls.Config
	if err == nil {
		config, err = settings.Config()
	}
	if e, ok := errors.AsType[*sdk.Error](err); ok {
		err = unavailable("the data source has %s", e.Message)
	}
	if err != nil {
		return nil, err
	}
	added := newTransport()
	added.TLSClientConfig = config
	known, _ := p.tls.LoadOrStore(settings, added)
	return known.(*http.Transport), nil
}
