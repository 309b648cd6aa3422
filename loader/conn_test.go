package loader

import (
	"context"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
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
