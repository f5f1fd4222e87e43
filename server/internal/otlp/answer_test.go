package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"net"
	"strconv"
	"strings"
	"testing"

	collogspb "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	colmetricspb "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	rpcpb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/door/doortest"
)

const (
	asJSON  = "Content-Type: application/json"
	asProto = "Content-Type: application/x-protobuf"
)

func zipped(t *testing.T, body []byte) string {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestAnswers(t *testing.T) {
	good := one(2, "tools/call find", "", `"mcp.method.name":"tools/call","gen_ai.tool.name":"find"`)
	binary := string(protobuf(t, []byte(good)))
	for _, c := range []struct {
		name, path, body string
		headers          []string
		status, stored   int
		text             string // of an answer in JSON
	}{
		{"JSON", pathTraces, good, []string{asJSON}, 200, 1, "{}"},
		{"JSON, with its charset", pathTraces, good, []string{asJSON + "; charset=utf-8"}, 200, 1, "{}"},
		{"protobuf", pathTraces, binary, []string{asProto}, 200, 1, ""},
		{"gzip", pathTraces, zipped(t, []byte(binary)), []string{asProto, "Content-Encoding: gzip"}, 200, 1, ""},
		{"another vendor's key", pathTraces, good, []string{"Authorization: Bearer " + doortest.Foreign}, 200, 1, "{}"},
		{"the key as an API key", pathTraces, good, []string{"Authorization: ", "X-Api-Key: " + doortest.Foreign}, 200, 1, "{}"},
		{"nothing", pathTraces, "{}", nil, 200, 0, "{}"},
		{"nothing, in protobuf", pathTraces, "", []string{asProto}, 200, 0, ""},
		{"metrics", "/v1/metrics", `{"resourceMetrics":[]}`, nil, 200, 0, "{}"},
		{"logs", "/v1/logs", `{"resourceLogs":[]}`, nil, 200, 0, "{}"},
		{"a span without ids", pathTraces, strings.Replace(good, "b6db4c9bd5de6fe4", "", 1), nil, 200, 0, `{"partialSuccess":{"rejectedSpans":"1","errorMessage":"a span has no id, or no id of its trace"}}`},
		{"a span that is none", pathTraces, `{"resourceSpans":[{"scopeSpans":[{"spans":[7]}]}]}`, nil, 200, 0, `"rejectedSpans":"1"`},
		{"a huge span beside another", pathTraces, strings.Replace(good, `"spans":[{`, `"spans":[{"name":"`+strings.Repeat("x", maxSpan)+`"},{`, 1), nil, 200, 1, `"rejectedSpans":"1"`},
		{"no key", pathTraces, good, []string{"Authorization: "}, 401, 0, `"code":16`},
		{"unknown key", pathTraces, good, []string{"Authorization: Bearer phc_somebody_else"}, 401, 0, `"code":16`},
		{"unknown key, in protobuf", pathTraces, binary, []string{asProto, "Authorization: Bearer phc_somebody_else"}, 401, 0, ""},
		{"no JSON", pathTraces, "hello", nil, 400, 0, `"code":3`},
		{"no protobuf", pathTraces, "hello", []string{asProto}, 400, 0, ""},
		{"no protobuf of metrics", "/v1/metrics", "hello", []string{asProto}, 400, 0, ""},
		{"neither form", pathTraces, good, []string{"Content-Type: text/plain"}, 415, 0, `"code":3`},
		{"too large", pathTraces, strings.Repeat(" ", maxBody+1), nil, 413, 0, `"code":3`},
		{"a bomb", pathTraces, zipped(t, bytes.Repeat([]byte(" "), maxBody+1)), []string{"Content-Encoding: gzip"}, 413, 0, `"code":3`},
		{"too many spans", pathTraces, `{"resourceSpans":[{"scopeSpans":[{"spans":[` + strings.Repeat("{},", maxSpans) + `{}]}]}]}`, nil, 413, 0, `"code":3`},
		{"too many empty spans, in protobuf", pathTraces, string(manySpans(maxSpans + 1)), []string{asProto}, 413, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := open(t, door.Options{})
			code, text, header := r.Post(c.path, strings.NewReader(c.body), c.headers...)
			if code != c.status || !strings.Contains(compact(text), c.text) {
				t.Errorf("%d %s, want %d and %s", code, text, c.status, c.text)
			}
			if inProto := len(c.headers) > 0 && c.headers[0] == asProto; inProto {
				answered(t, code, text, header.Get("Content-Type"))
			} else if !json.Valid([]byte(text)) || header.Get("Content-Type") != "application/json" {
				t.Errorf("the answer is %q: %s", header.Get("Content-Type"), text)
			}
			if strings.Contains(text, doortest.Foreign) || strings.Contains(text, "phc_somebody_else") {
				t.Errorf("the answer repeats a key: %s", text)
			}
			if n := len(r.Stored()); n != c.stored {
				t.Errorf("%d events are stored, want %d", n, c.stored)
			}
		})
	}
}

// compact takes out the spaces that protojson puts in at random.
func compact(text string) string {
	var out bytes.Buffer
	if json.Compact(&out, []byte(text)) != nil {
		return text
	}
	return out.String()
}

// answered checks an answer in protobuf.
func answered(t *testing.T, code int, text, media string) {
	t.Helper()
	if media != "application/x-protobuf" {
		t.Errorf("the answer is %q", media)
	}
	if code == 200 {
		if err := proto.Unmarshal([]byte(text), &coltracepb.ExportTraceServiceResponse{}); err != nil || text != "" {
			t.Errorf("%v: %q", err, text)
		}
		return
	}
	var s rpcpb.Status
	if err := proto.Unmarshal([]byte(text), &s); err != nil || s.GetCode() == 0 || s.GetMessage() == "" {
		t.Errorf("%v: %v", err, &s)
	}
}

// manySpans is a body of n spans of two bytes each.
func manySpans(n int) []byte {
	scope := bytes.Repeat([]byte{2<<3 | 2, 0}, n)
	resource := append(protowire.AppendVarint([]byte{2<<3 | 2}, uint64(len(scope))), scope...)
	return append(protowire.AppendVarint([]byte{1<<3 | 2}, uint64(len(resource))), resource...)
}

// Above the rate of its key a sender is told to come again, in the words of OTLP.
func TestTooMany(t *testing.T) {
	r := open(t, door.Options{EventsPerSecond: 1})
	var spans []string
	for i := range 30 {
		spans = append(spans, `{"traceId":"5faa64790b67a302805745a9b0ac0a77","spanId":"b6db4c9bd5de6`+strconv.Itoa(100+i)+`","kind":2,"name":"tools/call x","startTimeUnixNano":"1796052007009000000"}`)
	}
	body := `{"resourceSpans":[{"scopeSpans":[{"spans":[` + strings.Join(spans, ",") + `]}]}]}`
	if code, text, _ := r.Post(pathTraces, strings.NewReader(body)); code != 200 {
		t.Fatal(code, text)
	}
	code, text, header := r.Post(pathTraces, strings.NewReader(body))
	if wait, err := strconv.Atoi(header.Get("Retry-After")); code != 429 || err != nil || wait < 1 || !strings.Contains(compact(text), `"code":8`) {
		t.Errorf("%d %s, Retry-After %q", code, text, header.Get("Retry-After"))
	}
	conn := dial(t, r)
	_, err := coltracepb.NewTraceServiceClient(conn).Export(as(r.Write), &coltracepb.ExportTraceServiceRequest{})
	s := status.Convert(err)
	if s.Code() != codes.ResourceExhausted {
		t.Errorf("%v", err)
	}
	if details := s.Details(); len(details) != 1 || details[0].(*errdetails.RetryInfo).GetRetryDelay().AsDuration() <= 0 {
		t.Errorf("without a time to wait it is not sent again: %v", details)
	}
}

func as(key string) context.Context {
	return metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+key)
}

// dial serves a rig's door over gRPC.
func dial(t *testing.T, r *doortest.Rig) *grpc.ClientConn {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := New(r.Front).GRPC()
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	conn, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestGRPC(t *testing.T) {
	r := open(t, door.Options{})
	conn := dial(t, r)
	traces := coltracepb.NewTraceServiceClient(conn)
	var request coltracepb.ExportTraceServiceRequest
	if err := proto.Unmarshal(protobuf(t, doortest.Samples(t, "mcp-go-otel/stdio")[0].Bytes()), &request); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		ctx  context.Context
		want codes.Code
	}{
		{"a key", as(r.Write), codes.OK},
		{"another vendor's key", as(doortest.Foreign), codes.OK},
		{"no key", context.Background(), codes.Unauthenticated},
		{"an unknown key", as("phc_somebody_else"), codes.Unauthenticated},
		{"a key that reads", as(r.Read), codes.PermissionDenied},
	} {
		answer, err := traces.Export(c.ctx, &request)
		if status.Code(err) != c.want || err == nil && answer.GetPartialSuccess() != nil {
			t.Errorf("%s: %v, %v, want %v", c.name, answer, err, c.want)
		}
	}
	if n := len(verdicts(r.Stored())); n != 11 {
		t.Errorf("%d calls are stored, want 11", n)
	}
	if _, err := colmetricspb.NewMetricsServiceClient(conn).Export(as(r.Write), &colmetricspb.ExportMetricsServiceRequest{}); err != nil {
		t.Error(err)
	}
	if _, err := collogspb.NewLogsServiceClient(conn).Export(as(r.Write), &collogspb.ExportLogsServiceRequest{}); err != nil {
		t.Error(err)
	}
	request.GetResourceSpans()[0].GetScopeSpans()[0].GetSpans()[3].SpanId = nil
	answer, err := traces.Export(as(r.Write), &request)
	if err != nil || answer.GetPartialSuccess().GetRejectedSpans() != 1 {
		t.Errorf("%v, %v; want one span to be rejected", answer, err)
	}
}
