// Package wire contains what both ends of the plugin protocol share: the go-plugin
// handshake, the names of the plugin sets, and the keys of errors and trailers.
package wire

import (
	"context"
	"errors"
	"math"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

// AppProtocol is the version of the application protocol in the handshake line.
const AppProtocol = 2

// MaxMessage is the largest message that either end accepts, in bytes. The ends trust
// each other; the host may limit the size of a response.
const MaxMessage = math.MaxInt32

// Names of the go-plugin sets.
const (
	SetDiagnostics    = "diagnostics"
	SetResource       = "resource"
	SetData           = "data"
	SetStream         = "stream"
	SetRenderer       = "renderer"
	SetSecretsManager = "secretsmanager"
)

// Handshake returns the handshake configuration of all types of plugins.
func Handshake() goplugin.HandshakeConfig {
	return goplugin.HandshakeConfig{
		ProtocolVersion:  AppProtocol,
		MagicCookieKey:   "grafana_plugin_type",
		MagicCookieValue: "datasource",
	}
}

// Services maps the names of the sets that a plugin implements to the functions that
// register their gRPC services.
type Services map[string]func(grpc.ServiceRegistrar)

// PluginSet returns the services in the form that go-plugin serves.
func (s Services) PluginSet() goplugin.PluginSet {
	set := goplugin.PluginSet{}
	for name, register := range s {
		set[name] = &service{register: register}
	}
	return set
}

// HostSet returns the set for the host's end of the handshake. The host does not dispense
// clients from it, since go-plugin returns one even if the plugin lacks the service. It
// makes calls on the connection instead.
func HostSet() goplugin.PluginSet {
	return goplugin.PluginSet{SetDiagnostics: &service{}}
}

type service struct {
	goplugin.NetRPCUnsupportedPlugin
	register func(grpc.ServiceRegistrar)
}

// GRPCServer implements goplugin.GRPCPlugin.
func (s *service) GRPCServer(_ *goplugin.GRPCBroker, g *grpc.Server) error {
	s.register(g)
	return nil
}

// GRPCClient implements goplugin.GRPCPlugin. It returns an error; see HostSet.
func (s *service) GRPCClient(context.Context, *goplugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, errors.New("clients are not dispensed: call the services on the connection")
}
