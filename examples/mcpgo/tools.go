package main

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// addTools adds the tools of the greenhouse.
func addTools(s *server.MCPServer) {
	name := mcp.WithString("bed", mcp.Required(), mcp.Description("name of the bed, such as north"))
	s.AddTool(mcp.NewTool("look_at_bed", mcp.WithDescription("What grows in a bed."), mcp.WithReadOnlyHintAnnotation(true), name), lookAtBed)
	s.AddTool(mcp.NewTool("find_crop", mcp.WithDescription("The beds in which a crop grows."), mcp.WithReadOnlyHintAnnotation(true),
		mcp.WithString("crop", mcp.Required())), mcp.NewTypedToolHandler(findCrop))
	s.AddTool(mcp.NewTool("set_light", mcp.WithDescription("Sets the light over a bed."), name,
		mcp.WithString("level", mcp.Required(), mcp.Enum("off", "dim", "full"))), setLight)
	s.AddTool(mcp.NewTool("read_moisture", mcp.WithDescription("The moisture of a bed, in percent."), mcp.WithReadOnlyHintAnnotation(true), name), readMoisture)
	s.AddTool(mcp.NewTool("water_bed", mcp.WithDescription("Waters a bed; a tenth of a second for each liter."), name,
		mcp.WithNumber("liters", mcp.Required())), mcp.NewTypedToolHandler(waterBed))
}

// lookAtBed is ok for a bed that exists, and else a tool error that has a name:
// NoSuchBed. Without the argument it refuses as mcp-go's helpers do, and that is
// bad_args, because the schema says that there must be one.
func lookAtBed(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	name, err := r.RequireString("bed")
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	b, err := find(name)
	if err != nil {
		return nil, err
	}
	return mcp.NewToolResultText(fmt.Sprintf("%s grow in the bed %s.", b.Crop, b.Name)), nil
}

// findCrop is ok, and empty for a crop that grows nowhere. A crop that is no text
// does not bind.
func findCrop(_ context.Context, _ mcp.CallToolRequest, in struct {
	Crop string `json:"crop"`
},
) (*mcp.CallToolResult, error) {
	return mcp.NewToolResultStructuredOnly(map[string]any{"beds": growing(in.Crop)}), nil
}

// setLight is a tool error by hand, with a name in its result, for the bed that
// has no lamp.
func setLight(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	b, err := find(r.GetString("bed", ""))
	if err != nil {
		return nil, err
	}
	if b.Name == "window" {
		res := mcp.NewToolResultError("there is no lamp at the window")
		res.Meta = mcp.NewMetaFromMap(map[string]any{"umpire/errorType": "NoLamp"})
		return res, nil
	}
	return mcp.NewToolResultText("The light is set to " + r.GetString("level", "dim") + "."), nil
}

// readMoisture has a bug: it panics for the bed whose sensor is broken.
func readMoisture(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	b, err := find(r.GetString("bed", ""))
	if err != nil {
		return nil, err
	}
	var reading *float64
	if b.sensor {
		reading = &b.Moisture
	}
	return mcp.NewToolResultText(fmt.Sprintf("%.1f %%", *reading)), nil
}

// waterBed can be cancelled while the water runs.
func waterBed(ctx context.Context, _ mcp.CallToolRequest, in struct {
	Bed    string `json:"bed"`
	Liters int    `json:"liters"`
},
) (*mcp.CallToolResult, error) {
	if _, err := find(in.Bed); err != nil {
		return nil, err
	}
	if err := pour(ctx, in.Liters); err != nil {
		return nil, err
	}
	return mcp.NewToolResultText(fmt.Sprintf("%d liters for the bed %s.", in.Liters, in.Bed)), nil
}
