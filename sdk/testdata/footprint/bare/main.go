// Command bare is the baseline of the footprint: go-plugin and the protocol only.
package main

import (
	"context"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

type source struct {
	goplugin.NetRPCUnsupportedPlugin
	pluginv2.UnimplementedDataServer
	pluginv2.UnimplementedDiagnosticsServer
}

func (s source) GRPCServer(_ *goplugin.GRPCBroker, g *grpc.Server) error {
	pluginv2.RegisterDataServer(g, s)
	pluginv2.RegisterDiagnosticsServer(g, s)
	return nil
}

func (source) GRPCClient(context.Context, *goplugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, nil
}

func (source) QueryData(_ context.Context, req *pluginv2.QueryDataRequest) (*pluginv2.QueryDataResponse, error) {
	out := &pluginv2.QueryDataResponse{Responses: map[string]*pluginv2.DataResponse{}}
	for _, q := range req.Queries {
		out.Responses[q.RefId] = &pluginv2.DataResponse{Status: 200}
	}
	return out, nil
}

func (source) CheckHealth(context.Context, *pluginv2.CheckHealthRequest) (*pluginv2.CheckHealthResponse, error) {
	return &pluginv2.CheckHealthResponse{Status: pluginv2.CheckHealthResponse_OK}, nil
}

func main() {
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig: goplugin.HandshakeConfig{ProtocolVersion: 2, MagicCookieKey: "grafana_plugin_type", MagicCookieValue: "datasource"},
		Plugins:         goplugin.PluginSet{"data": source{}},
		GRPCServer:      goplugin.DefaultGRPCServer,
	})
}
