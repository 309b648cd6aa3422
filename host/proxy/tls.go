package proxy

import (
	"errors"
	"net/http"
	"sync"

	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/httpclient"
)

// maxTLSTransports is how many transports with TLS settings keep their connections.
const maxTLSTransports = 100

// tlsTransports holds a transport for each set of TLS settings.
type tlsTransports struct {
	mu   sync.Mutex
	kept map[httpclient.TLS]*http.Transport
}

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
	var t http.RoundTripper
	if err == nil {
		t, err = p.tls.of(settings)
	}
	if e, ok := errors.AsType[*sdk.Error](err); ok {
		err = unavailable("the data source has %s", e.Message)
	}
	return t, err
}

func (t *tlsTransports) of(settings httpclient.TLS) (*http.Transport, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if known := t.kept[settings]; known != nil {
		return known, nil
	}
	config, err := settings.Config()
	if err != nil {
		return nil, err
	}
	if len(t.kept) >= maxTLSTransports {
		t.drop()
	}
	if t.kept == nil {
		t.kept = map[httpclient.TLS]*http.Transport{}
	}
	added := newTransport()
	added.TLSClientConfig = config
	t.kept[settings] = added
	return added, nil
}

// clear closes idle connections and forgets the transports.
func (t *tlsTransports) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drop()
}

func (t *tlsTransports) drop() {
	for _, transport := range t.kept {
		transport.CloseIdleConnections()
	}
	t.kept = nil
}
