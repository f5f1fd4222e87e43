package otlp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	collogspb "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	colmetricspb "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	_ "google.golang.org/grpc/encoding/gzip" // exporters may send it
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/meta"
)

// raw is a message as it came, to be read span by span, as over HTTP.
type raw []byte

// codec leaves what comes as it is, and encodes what goes.
type codec struct{}

// Marshal implements encoding.Codec.
func (codec) Marshal(v any) ([]byte, error) {
	message, ok := v.(proto.Message)
	if !ok {
		return nil, fmt.Errorf("cannot encode a %T", v)
	}
	return proto.Marshal(message)
}

// Unmarshal implements encoding.Codec.
func (codec) Unmarshal(data []byte, v any) error {
	message, ok := v.(*raw)
	if !ok {
		return errors.New("cannot decode into anything else than bytes")
	}
	*message = data
	return nil
}

// Name implements encoding.Codec.
func (codec) Name() string { return "proto" }

type keyOf struct{}

// GRPC returns a server of the door for OTLP over gRPC, which the caller gives a
// listener and stops. It speaks without TLS, like the HTTP door.
func (h *Handler) GRPC() *grpc.Server {
	s := grpc.NewServer(
		grpc.ForceServerCodec(codec{}),
		grpc.MaxRecvMsgSize(maxBody),
		grpc.MaxConcurrentStreams(16),
		grpc.MaxHeaderListSize(16<<10),
		grpc.ConnectionTimeout(10*time.Second),
		grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionIdle: 10 * time.Minute}),
		// Before a message is read: who has no key costs nothing.
		grpc.InTapHandle(h.admit),
	)
	none := func(ctx context.Context, key meta.Key, body []byte) (proto.Message, *fault.Error) {
		return &coltracepb.ExportTraceServiceResponse{}, h.other(ctx, key, body, protoForm)
	}
	export(s, coltracepb.TraceService_ServiceDesc.ServiceName, func(ctx context.Context, key meta.Key, body []byte) (proto.Message, *fault.Error) {
		return h.traces(ctx, key, body, protoForm)
	})
	export(s, colmetricspb.MetricsService_ServiceDesc.ServiceName, none)
	export(s, collogspb.LogsService_ServiceDesc.ServiceName, none)
	return s
}

// admit lets a request with a key in.
func (h *Handler) admit(ctx context.Context, info *tap.Info) (context.Context, error) {
	key, err := h.front.Key(bearer(info.Header))
	if err != nil {
		return nil, asStatus(err)
	}
	return context.WithValue(ctx, keyOf{}, key), nil
}

// bearer is the key in the metadata, whose names are in lower case.
func bearer(md metadata.MD) string {
	for _, v := range md.Get("authorization") {
		if scheme, key, ok := strings.Cut(v, " "); ok && strings.EqualFold(scheme, "Bearer") {
			return strings.TrimSpace(key)
		}
	}
	for _, name := range []string{"x-api-key", "api-key"} {
		for _, v := range md.Get(name) {
			return v
		}
	}
	return ""
}

// export registers a service with the one method that OTLP's services have.
func export(s *grpc.Server, service string, take func(context.Context, meta.Key, []byte) (proto.Message, *fault.Error)) {
	s.RegisterService(&grpc.ServiceDesc{
		ServiceName: service,
		HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{
			MethodName: "Export",
			Handler: func(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
				var body raw
				if err := decode(&body); err != nil {
					return nil, err
				}
				key, ok := ctx.Value(keyOf{}).(meta.Key)
				if !ok {
					panic("BUG: a request came in without a key")
				}
				answer, err := take(ctx, key, body)
				if err != nil {
					return nil, asStatus(err)
				}
				return answer, nil
			},
		}},
	}, struct{}{})
}

// asStatus is an error of gRPC, with the time to wait where it passes.
func asStatus(err *fault.Error) error {
	s := status.New(codeOf(err), sentence(err))
	if err.RetryAfter > 0 {
		if more, failed := s.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(err.RetryAfter)}); failed == nil {
			s = more
		}
	}
	return s.Err()
}
