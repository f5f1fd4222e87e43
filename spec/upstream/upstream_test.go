package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/google/go-github/v74/github"
	"github.com/stripe/stripe-go/v82"
	"google.golang.org/api/googleapi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/umpire-mcp/umpire"
)

// judged is what is recorded of an error that a tool returns and the model sees.
func judged(err error) umpire.Call {
	o := umpire.Observation{Tool: "ask", Observed: true, Ran: "yes", IsError: true, Err: err, Shown: true, Texts: []string{err.Error()}}
	return o.Judge()
}

// answering serves status with body to every request.
func answering(t *testing.T, status int, header http.Header, body string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for k, v := range header {
			w.Header()[k] = v
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func get(t *testing.T, url string) *http.Response {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}

func askGitHub(t *testing.T, url string) error {
	client, err := github.NewClient(nil).WithEnterpriseURLs(url, url)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = client.Issues.Get(t.Context(), "o", "r", 1)
	return err
}

// askAWS is the chain that an operation of any service's client gives back.
func askAWS(inner error, status int) error {
	return &smithy.OperationError{ServiceID: "S3", OperationName: "GetObject", Err: &awshttp.ResponseError{
		RequestID: "A1B2",
		ResponseError: &smithyhttp.ResponseError{
			Response: &smithyhttp.Response{Response: &http.Response{StatusCode: status, Header: http.Header{}}}, Err: inner,
		},
	}}
}

func askAzure(t *testing.T, url string) error {
	pipeline := runtime.NewPipeline("test", "v1", runtime.PipelineOptions{}, &policy.ClientOptions{Retry: policy.RetryOptions{MaxRetries: -1}})
	req, err := runtime.NewRequest(t.Context(), http.MethodGet, url)
	if err != nil {
		t.Fatal(err)
	}
	res, err := pipeline.Do(req)
	if err != nil {
		return err
	}
	return runtime.NewResponseError(res)
}

func askStripe(t *testing.T, url string) error {
	backend := stripe.GetBackendWithConfig(stripe.APIBackend, &stripe.BackendConfig{
		URL: stripe.String(url), MaxNetworkRetries: stripe.Int64(0), LeveledLogger: &stripe.LeveledLogger{Level: stripe.LevelNull},
	})
	client := stripe.NewClient("sk_test_x", stripe.WithBackends(&stripe.Backends{API: backend, Connect: backend, Uploads: backend}))
	_, err := client.V1Customers.Retrieve(t.Context(), "cus_1", nil)
	return err
}

// askGRPC calls a method of a server that is not there, with a real client.
func askGRPC(ctx context.Context, t *testing.T, options ...grpc.CallOption) error {
	conn, err := grpc.NewClient("passthrough:///127.0.0.1:1", grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	return conn.Invoke(ctx, "/bookshop.Books/Get", nil, nil, options...)
}

// outcomes.md 5.1 and 5.2, for the errors that servers in the wild get from
// their clients.
func TestRealClients(t *testing.T) {
	books := schema.GroupResource{Group: "shop", Resource: "books"}
	expired, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	canceled, cancelNow := context.WithCancel(t.Context())
	cancelNow()
	limited := http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Limit": {"60"}, "X-Ratelimit-Reset": {"4102444800"}}
	for _, tt := range []struct {
		name   string
		in     error
		want   string
		status int
	}{
		{"GitHub 404", askGitHub(t, answering(t, 404, nil, `{"message":"Not Found"}`)), "github.ErrorResponse:404", 404},
		{"GitHub 502", askGitHub(t, answering(t, 502, nil, `{}`)), "github.ErrorResponse:502", 502},
		{"GitHub, quota used up", askGitHub(t, answering(t, 403, limited, `{"message":"API rate limit exceeded"}`)), "github.RateLimitError:403", 403},
		{"GitHub, too fast", askGitHub(t, answering(t, 403, nil, `{"documentation_url":"https://docs.github.com/rest#secondary-rate-limits"}`)), "github.AbuseRateLimitError:403", 403},

		{"AWS, a known code", askAWS(&smithy.GenericAPIError{Code: "NoSuchKey", Message: "The key is not there"}, 404), "NoSuchKey:404", 404},
		{"AWS, throttled", askAWS(&smithy.GenericAPIError{Code: "ThrottlingException"}, 429), "ThrottlingException:429", 429},
		{"AWS, no code", askAWS(errors.New("no"), 503), "http.ResponseError:503", 503},
		{"AWS, no answer", &smithy.OperationError{ServiceID: "S3", Err: &aws.RequestCanceledError{Err: context.Canceled}}, "context.Canceled", 0},

		{"googleapi", googleapi.CheckResponse(get(t, answering(t, 404, nil, `{"error":{"code":404,"message":"no such file"}}`))), "googleapi.Error:404", 404},
		{"googleapi, no JSON", googleapi.CheckResponse(get(t, answering(t, 500, nil, `oops`))), "googleapi.Error:500", 500},

		{"gRPC NotFound", status.Error(codes.NotFound, "no such book"), "grpc:NotFound", 0},
		{"gRPC Unavailable, a real client", askGRPC(t.Context(), t), "grpc:Unavailable", 0},
		{"gRPC deadline, a real client", askGRPC(expired, t, grpc.WaitForReady(true)), "timeout", 0},
		{"gRPC canceled, a real client", askGRPC(canceled, t, grpc.WaitForReady(true)), "context.Canceled", 0},

		{"Azure", askAzure(t, answering(t, 404, http.Header{"X-Ms-Error-Code": {"BlobNotFound"}}, `{}`)), "exported.ResponseError:404", 404},
		{"Azure 429", askAzure(t, answering(t, 429, nil, `{}`)), "exported.ResponseError:429", 429},

		{"Kubernetes", apierrors.NewNotFound(books, "emma"), "errors.StatusError:404", 404},
		{"Kubernetes, too many", apierrors.NewTooManyRequests("slow down", 1), "errors.StatusError:429", 429},

		{"Stripe", askStripe(t, answering(t, 402, nil, `{"error":{"code":"card_declined","type":"card_error","message":"declined"}}`)), "stripe.Error:402", 402},
		{"Stripe 404", askStripe(t, answering(t, 404, nil, `{"error":{"code":"resource_missing","type":"invalid_request_error"}}`)), "stripe.Error:404", 404},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.in == nil {
				t.Fatal("the client made no error")
			}
			for how, err := range map[string]error{"bare": tt.in, "wrapped": fmt.Errorf("cannot ask: %w", tt.in), "Upstream": umpire.Upstream(tt.in)} {
				got := judged(err)
				if got.Outcome != umpire.ToolError || got.ErrorType != tt.want || got.ErrorStatus != tt.status {
					t.Errorf("%s: %s %q %d, want %q %d (%T: %v)", how, got.Outcome, got.ErrorType, got.ErrorStatus, tt.want, tt.status, tt.in, tt.in)
				}
			}
			if wrapped := umpire.Upstream(tt.in); wrapped.Error() != tt.in.Error() || !errors.Is(wrapped, tt.in) {
				t.Errorf("Upstream changes %q into %q", tt.in, wrapped)
			}
		})
	}
}

// The table of gRPC's codes is a copy; this is the original.
func TestGRPCCodes(t *testing.T) {
	for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
		want := "grpc:" + code.String()
		switch code {
		case codes.Canceled:
			want = "context.Canceled"
		case codes.DeadlineExceeded:
			want = "timeout"
		}
		if got := judged(status.Error(code, "no")).ErrorType; got != want {
			t.Errorf("code %d is named %q, want %q", code, got, want)
		}
	}
	if !strings.HasPrefix((codes.Unauthenticated + 1).String(), "Code(") {
		t.Errorf("gRPC has a code more, %s: add it to the root's table", codes.Unauthenticated+1)
	}
}

// azcore.ResponseError is an alias, whose type's own name is what is recorded.
var _ error = (*azcore.ResponseError)(nil)
