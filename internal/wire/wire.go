// Package wire holds what both ends of the plugin protocol must agree on: the
// go-plugin handshake, the names of the plugin sets and the gRPC services of the
// published package pluginv2. It knows nothing of what the calls mean.
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

// MaxMessage is the largest message either end accepts, in bytes. The two ends
// trust each other; what a response may weigh is the host's policy.
const MaxMessage = math.MaxInt32

// The names of the plugin sets.
const (
	SetDiagnostics    = "diagnostics"
	SetResource       = "resource"
	SetData           = "data"
	SetStream         = "stream"
	SetRenderer       = "renderer"
	SetSecretsManager = "secretsmanager"
)

// Handshake returns the cookie that tells a plugin it was started by a host. All
// types of plugins share it.
func Handshake() goplugin.HandshakeConfig {
	return goplugin.HandshakeConfig{
		ProtocolVersion:  AppProtocol,
		MagicCookieKey:   "grafana_plugin_type",
		MagicCookieValue: "datasource",
	}
}

// Services are the gRPC services that a plugin implements, by the name of their
// set, each as what registers it. What is not there is not advertised, and every
// call of it answers Unimplemented.
type Services map[string]func(grpc.ServiceRegistrar)

// PluginSet returns the go-plugin set for the services.
func (s Services) PluginSet() goplugin.PluginSet {
	set := goplugin.PluginSet{}
	for name, register := range s {
		set[name] = &service{register: register}
	}
	return set
}

// HostSet returns the set a host offers in the handshake. The host does not
// dispense from it: it calls the services on the connection itself, because
// go-plugin hands out a client whether or not the plugin has the service.
func HostSet() goplugin.PluginSet {
	return goplugin.PluginSet{SetDiagnostics: &service{}}
}

type service struct {
	goplugin.NetRPCUnsupportedPlugin
	register func(grpc.ServiceRegistrar)
}

// GRPCServer registers the service on the plugin's side.
func (s *service) GRPCServer(_ *goplugin.GRPCBroker, g *grpc.Server) error {
	s.register(g)
	return nil
}

// GRPCClient refuses: see HostSet.
func (s *service) GRPCClient(context.Context, *goplugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, errors.New("call the services on the connection")
}
