package loader

import (
	"context"
	"net"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
)

// packets is a connection on which each message is large.
type packets struct {
	grpc.ClientConnInterface
	grpc.ClientStream
	receiving func() // is called before a message arrives
}

func (p *packets) NewStream(context.Context, *grpc.StreamDesc, string, ...grpc.CallOption) (grpc.ClientStream, error) {
	return p, nil
}

func (p *packets) Header() (metadata.MD, error) { return metadata.MD{}, nil }

func (p *packets) RecvMsg(m any) error {
	p.receiving()
	m.(*pluginv2.StreamPacket).Data = make([]byte, smallMessage+1)
	return nil
}

// A live stream that waits for its next packet does not keep other messages from arriving.
func TestLiveStreamsTakeNoTurns(t *testing.T) {
	t.Parallel()
	for isLive, want := range map[bool]int{true: 0, false: 1} {
		s, taken := newMemory(1<<30).newShare(), 0
		c := &conn{ClientConnInterface: &packets{receiving: func() { taken = len(s.arriving) }}, share: s, isLive: isLive}
		stream, err := c.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true}, "RunStream")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := stream.RecvMsg(&pluginv2.StreamPacket{}); err != nil {
				t.Fatal(err)
			}
		}
		if taken != want {
			t.Errorf("live %t: %d turns are taken while the second message arrives, want %d", isLive, taken, want)
		}
	}
}

// last is a connection that remembers the last stream.
type last struct {
	grpc.ClientConnInterface
	stream grpc.ClientStream
}

func (l *last) NewStream(ctx context.Context, desc *grpc.StreamDesc, method string, options ...grpc.CallOption) (s grpc.ClientStream, err error) {
	l.stream, err = l.ClientConnInterface.NewStream(ctx, desc, method, options...)
	return l.stream, err
}

// A call ends with its response, even if its context does not, and has the status that follows
// the response.
func TestInvokeEndsTheCall(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, s grpc.ServerStream) error {
		switch method, _ := grpc.MethodFromServerStream(s); method {
		case "/x/Two":
			_ = s.SendMsg(&emptypb.Empty{})
		case "/x/Late":
			_ = s.SendMsg(&emptypb.Empty{})
			return status.Error(codes.Aborted, "")
		}
		return s.SendMsg(&emptypb.Empty{})
	}))
	go func() { _ = server.Serve(listener) }()
	defer server.Stop()
	connection, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	l := &last{ClientConnInterface: connection}
	c := &conn{ClientConnInterface: l, share: newMemory(1 << 30).newShare()}
	for method, want := range map[string]codes.Code{"/x/One": codes.OK, "/x/Two": codes.Internal, "/x/Late": codes.Aborted} {
		err := c.Invoke(context.Background(), method, &emptypb.Empty{}, &emptypb.Empty{})
		if status.Code(err) != want || l.stream.Context().Err() == nil {
			t.Errorf("%s: %v, want %s; the call has ended: %t", method, err, want, l.stream.Context().Err() != nil)
		}
	}
}
