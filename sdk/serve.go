package sdk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/slipway-dev/slipway/internal/wire"
	"github.com/slipway-dev/slipway/sdk/internal/goplugin"
)

// Serve runs the plugin until the host stops it. It makes the default slog logger write
// to the host; see [NewLogger]. Standard output is reserved for the protocol: a plugin
// must not print before it calls Serve, which redirects [os.Stdout] to standard error. If
// the process was not started by a host, or if it cannot serve, Serve prints the reason to
// standard error and exits with status 1. With the argument -standalone, which is for
// debuggers, it serves on a loopback port instead, and a host attaches to it.
func Serve(p Plugin) {
	logger := NewLogger(os.Stderr, p.LogLevel)
	slog.SetDefault(logger)
	if isStandalone(os.Args[1:]) {
		if err := errors.Join(p.serveStandalone(logger), p.close()); err != nil {
			logger.Error("serve in standalone mode", "error", err)
			os.Exit(1)
		}
		return
	}
	if !goplugin.IsHosted() {
		fmt.Fprintln(os.Stderr, "This program is the backend of a plugin and must be started by a host.")
		fmt.Fprintln(os.Stderr, "To try it, run \"go tool mage dev\" or \"slipway dev\" in the plugin repository.")
		os.Exit(1)
	}
	if len(p.services()) == 0 {
		logger.Error("the plugin has no handlers")
		os.Exit(1)
	}
	go exitWithHost(os.Getppid())
	served := goplugin.Serve(func(options ...grpc.ServerOption) *grpc.Server { return p.newServer(logger, options...) })
	if err := p.close(); err != nil {
		logger.Error("close plugin", "error", err)
	}
	if served != nil {
		logger.Error("serve plugin", "error", served)
		os.Exit(1)
	}
}

func (p Plugin) close() error {
	if p.Close == nil {
		return nil
	}
	return p.Close()
}

const hostPollInterval = time.Second

// exitWithHost exits soon after the host, which cannot stop its plugins if it is killed.
func exitWithHost(host int) {
	if runtime.GOOS == "windows" { // where Getppid returns the same id after the host has exited
		if p, err := os.FindProcess(host); err == nil {
			_, _ = p.Wait() // on Windows, Wait works for any process
		}
		os.Exit(0)
	}
	for os.Getppid() == host {
		time.Sleep(hostPollInterval)
	}
	slog.Warn("the host has exited; exiting")
	os.Exit(0)
}

// serverOptions sets up the gRPC server. The panic handlers run both outside and
// inside p.ServerOptions, so that interceptors that count calls count panics as well,
// and so that interceptors may panic themselves.
func (p Plugin) serverOptions(logger *slog.Logger) []grpc.ServerOption {
	options := []grpc.ServerOption{
		// Workers keep the stack that a call has grown. Without them, growing it takes a
		// tenth of the time of a call.
		grpc.NumStreamWorkers(uint32(2 * runtime.GOMAXPROCS(0))),
		grpc.MaxRecvMsgSize(wire.MaxMessage),
		grpc.MaxSendMsgSize(wire.MaxMessage),
		grpc.ChainUnaryInterceptor(func(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
			return recoverUnary(withCall(ctx, logger), req, info, next)
		}),
		grpc.ChainStreamInterceptor(func(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
			return recoverStream(srv, serverStream{ServerStream: ss, ctx: withCall(ss.Context(), logger)}, info, next)
		}),
	}
	options = append(options, p.ServerOptions...)
	return append(options, grpc.ChainUnaryInterceptor(recoverUnary), grpc.ChainStreamInterceptor(recoverStream))
}

func recoverUnary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (_ any, err error) {
	defer recovered(ctx, info.FullMethod, &err)
	return next(ctx, req)
}

func recoverStream(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) (err error) {
	defer recovered(ss.Context(), info.FullMethod, &err)
	return next(srv, ss)
}

// recovered turns a panic into the error of its call.
func recovered(ctx context.Context, method string, err *error) {
	r := recover()
	switch {
	case r == nil:
	case r == http.ErrAbortHandler: // the handler has logged why
		*err = status.Error(codes.Aborted, "the plugin aborted its response")
	default:
		loggerOf(ctx).ErrorContext(ctx, "a handler panicked", "method", method, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
		*err = errorWithInfo(codes.Internal, "the plugin failed on this call; see its log",
			&errdetails.ErrorInfo{Domain: wire.Domain, Reason: wire.ReasonPanic})
	}
}

type serverStream struct {
	grpc.ServerStream
	ctx context.Context
}

// Context returns the context of the call.
func (s serverStream) Context() context.Context { return s.ctx }
