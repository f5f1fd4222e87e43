package gosdk_test

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire/gosdk"
)

// TestTemplatesMatchAsTheSDK: a resource has the name of the template whose
// handler the SDK took, and is unknown where the SDK knows none.
func TestTemplatesMatchAsTheSDK(t *testing.T) {
	templates := []string{
		"a://{v}", "a://{v}/{w}", "a://fixed/{+rest}", "b://x{#f}", "b://x{.ext}", "b://p{/seg,more}", "b://deep{/all*}",
		"c://s{;k}", "c://q{?q,page}", "c://q?fixed=1{&more*}", "d://{v:3}", "d://l/{a,b}", "d://k/{list*}", "e://a.b/{v}", "e://ü/{v}",
	}
	uris := []string{
		"a://1", "a://", "a://1/2", "a://1/2/3", "a://fixed/1/2/3", "a://fixed/1", "a://%C3%BC", "a://ü", "a://%zz", "a:// ",
		"b://x", "b://x#y/z", "b://x.y", "b://x/y", "b://p/1", "b://p/1/2", "b://p/1/2/3", "b://deep", "b://deep/1/2/3", "b://deep1",
		"c://s;k=1", "c://s;k", "c://s;other=1", "c://s", "c://q?q=1", "c://q?q=1&page=2", "c://q?page=2&q=1", "c://q?q=1&page=2&more=3", "c://q?fixed=1&a=1&b=2", "c://q?other=1",
		"d://abcd", "d://abc", "d://l/1", "d://l/1,2", "d://l/1,2,3", "d://k/1,2,3", "d://k/a=1,b=2", "e://a.b/1", "e://aXb/1", "e://ü/1", "f://1", "nothing",
	}
	collected := newCollector(t)
	client := collected.newClient(t)
	server := newServer()
	served := ""
	for _, raw := range templates {
		server.AddResourceTemplate(&mcp.ResourceTemplate{Name: raw, URITemplate: raw},
			func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				served = raw
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{}}, nil
			})
	}
	gosdk.Watch(server, client)
	cs := routes()[0].dial(t, server, nil)
	var want []string
	for _, uri := range uris {
		served = ""
		_, _ = cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		want = append(want, served)
	}
	found := 0
	for i, e := range collected.wait(t, client, len(uris), reads...) {
		if named := e.HandlerRan == "yes"; named != (want[i] != "") || named && e.Tool != want[i] {
			t.Errorf("%s: called %q, and the SDK took %q", uris[i], e.Tool, want[i])
		}
		if want[i] != "" {
			found++
		}
	}
	if found < 20 || found == len(uris) {
		t.Errorf("the SDK knew %d of %d", found, len(uris))
	}
}
