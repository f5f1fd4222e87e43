package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// bed is one bed of the greenhouse.
type bed struct {
	Name     string  `json:"name"`
	Crop     string  `json:"crop"`
	Moisture float64 `json:"moisture"` // percent
	sensor   bool
}

// beds are all there are. The sensor of the herbs is broken.
var beds = []bed{
	{"north", "tomatoes", 41, true},
	{"south", "peppers", 38.5, true},
	{"window", "herbs", 0, false},
}

// noSuchBed names itself, so that Umpire shows it as NoSuchBed. mcp-go makes a
// JSON-RPC failure of every error that a handler returns: the name tells that
// this one is a refusal and no bug.
type noSuchBed struct{ name string }

func (e noSuchBed) Error() string      { return fmt.Sprintf("there is no bed %q", e.name) }
func (noSuchBed) MCPErrorType() string { return "NoSuchBed" }

func find(name string) (bed, error) {
	i := slices.IndexFunc(beds, func(b bed) bool { return strings.EqualFold(b.Name, name) })
	if i < 0 {
		return bed{}, noSuchBed{name}
	}
	return beds[i], nil
}

// growing lists the beds of a crop.
func growing(crop string) []bed {
	found := []bed{}
	for _, b := range beds {
		if strings.EqualFold(b.Crop, crop) {
			found = append(found, b)
		}
	}
	return found
}

// pour takes its time, and stops when nobody waits any more.
func pour(ctx context.Context, liters int) error {
	const perLiter = 100 * time.Millisecond
	for range liters {
		select {
		case <-ctx.Done():
			return fmt.Errorf("cannot go on watering: %w", ctx.Err())
		case <-time.After(perLiter):
		}
	}
	return nil
}
