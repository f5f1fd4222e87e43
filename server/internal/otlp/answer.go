package otlp

import (
	"net/http"

	rpcpb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// form is one of the two that OTLP over HTTP has.
type form int

const (
	protoForm form = iota
	jsonForm
)

// write answers with a message in the form.
func (f form) write(w http.ResponseWriter, status int, message proto.Message) {
	encode, media := proto.Marshal, "application/x-protobuf"
	if f == jsonForm {
		encode, media = protojson.Marshal, "application/json"
	}
	out, err := encode(message)
	if err != nil {
		panic("BUG: cannot encode an answer: " + err.Error())
	}
	w.Header().Set("Content-Type", media)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(out) // the sender may have left
}

// refuse answers with a google.rpc.Status, as OTLP wants it.
func (f form) refuse(w http.ResponseWriter, status int, err *fault.Error) {
	f.write(w, status, &rpcpb.Status{Code: int32(codeOf(err)), Message: sentence(err)})
}

func sentence(err *fault.Error) string {
	if err.Hint == "" {
		return err.Message
	}
	return err.Message + ": " + err.Hint
}

// codeOf maps an error to gRPC's codes.
func codeOf(err *fault.Error) codes.Code {
	switch err.Code {
	case fault.BadRequest, fault.Unsupported, fault.TooLarge, fault.Conflict:
		return codes.InvalidArgument
	case fault.Unauthorized:
		return codes.Unauthenticated
	case fault.Forbidden:
		return codes.PermissionDenied
	case fault.NotFound:
		return codes.NotFound
	case fault.TooMany:
		return codes.ResourceExhausted
	case fault.Unavailable:
		return codes.Unavailable
	}
	return codes.Internal
}
