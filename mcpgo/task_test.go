package mcpgo_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/mcpgo"
)

// addTask adds a tool of the usual kind that may run as a task.
func addTask(s *server.MCPServer, name string, h server.ToolHandlerFunc) {
	tool := mcp.NewTool(name, mcp.WithTaskSupport(mcp.TaskSupportOptional))
	s.AddTool(tool, h)
}

// startTask calls tool as a task and returns the task's id.
func startTask(t *testing.T, r route, c conn, tool string) string {
	t.Helper()
	var answer struct {
		Result struct{ Task struct{ TaskId string } }
	}
	if err := json.Unmarshal([]byte(c.ask(r.request("1", "tools/call", `"name":"`+tool+`","task":{"ttl":60000}`))), &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Result.Task.TaskId == "" {
		t.Fatalf("%s did not become a task", tool)
	}
	return answer.Result.Task.TaskId
}

// TestTasks: a call that was answered with a task ends with the task.
func TestTasks(t *testing.T) {
	for _, tt := range []struct {
		tool string
		h    server.ToolHandlerFunc
		want want
	}{
		{"fine", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText("fine"), nil
		}, want{kind: "call", outcome: umpire.OK, ran: "yes", evidence: "observed"}},
		{"refuses", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultError("no"), nil
		}, want{kind: "call", outcome: umpire.ToolError, cause: "result", ran: "yes", evidence: "observed", message: "no"}},
		{"fails", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return nil, errors.New("it rained")
		}, want{kind: "call", outcome: umpire.Crashed, cause: "returned", errType: "error", ran: "yes", evidence: "observed", message: "it rained"}},
		{"nothing", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return nil, nil
		}, want{kind: "call", outcome: umpire.Crashed, cause: "no_result", ran: "yes", evidence: "observed"}},
	} {
		for _, slow := range []bool{false, true} {
			t.Run(tt.tool, func(t *testing.T) {
				collected := newCollector(t)
				client := collected.newClient(t)
				s := newServer()
				mcpgo.Watch(s, client)
				goOn := make(chan struct{})
				addTask(s, tt.tool, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					if slow {
						<-goOn
					}
					return tt.h(ctx, r)
				})
				r := routes()[0]
				c := r.dial(t, s)
				startTask(t, r, c, tt.tool)
				if slow {
					if err := client.Flush(t.Context()); err != nil {
						t.Fatal(err)
					}
					if n := len(collected.all(notCatalog...)); n != 0 {
						t.Errorf("%d events while the task is open", n)
					}
				}
				close(goOn)
				check(t, collected.wait(t, client, 1, notCatalog...)[0], tt.tool, tt.want)
			})
		}
	}
}

// TestTaskCancelled: who withdraws a task withdraws its call.
func TestTaskCancelled(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	s := newServer()
	mcpgo.Watch(s, client)
	addTask(s, "obey", func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	r := routes()[0]
	c := r.dial(t, s)
	id := startTask(t, r, c, "obey")
	c.ask(r.request("2", "tasks/cancel", `"taskId":"`+id+`"`))
	checkCancelled(t, collected.wait(t, client, 1, notCatalog...)[0], true)
}

// TestTaskTool: the handler of a task tool is out of sight. Its call is judged by
// its answer, which is the task.
func TestTaskTool(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	s := newServer()
	mcpgo.Watch(s, client)
	s.AddTaskTool(mcp.NewTool("task_only", mcp.WithTaskSupport(mcp.TaskSupportRequired)), func(context.Context, mcp.CallToolRequest) (*mcp.CreateTaskResult, error) {
		return nil, errors.New("it rained")
	})
	r := routes()[0]
	startTask(t, r, r.dial(t, s), "task_only")
	check(t, collected.wait(t, client, 1, notCatalog...)[0], "task_only", want{kind: "call", outcome: umpire.OK, ran: "unknown", evidence: "observed"})
}

// TestTaskStaysOpen: a task is not given up because its request is over.
func TestTaskStaysOpen(t *testing.T) {
	r := routes()[0]
	inBubble(t, nil, func(collected *collector, s *server.MCPServer, c conn) {
		addTask(s, "long", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			time.Sleep(10 * time.Minute)
			return mcp.NewToolResultText("fine"), nil
		})
		startTask(t, r, c, "long")
		time.Sleep(5 * time.Minute)
		if n := len(collected.all(notCatalog...)); n != 0 {
			t.Errorf("%d events while the task is open", n)
		}
		time.Sleep(6 * time.Minute)
		events := collected.all(notCatalog...)
		if len(events) != 1 || events[0].Outcome != umpire.OK || events[0].Late {
			t.Errorf("events %s", brief(events))
		}
	})
}
