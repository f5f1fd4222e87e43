package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// parcel is one parcel on its way.
type parcel struct {
	Number   string  `json:"number" jsonschema:"parcel number, such as PX-1001"`
	To       string  `json:"to" jsonschema:"city of the recipient"`
	WeightKG float64 `json:"weight_kg"`
	Status   string  `json:"status" jsonschema:"collected, on the road, or delivered"`
	barcode  string
}

// parcels are all there are. PX-1004 was printed without a barcode.
var parcels = []parcel{
	{"PX-1001", "Lisbon", 2.4, "on the road", "4006381333931"},
	{"PX-1002", "Ghent", 0.8, "delivered", "4006381333948"},
	{"PX-1003", "Lisbon", 11, "collected", "4006381333955"},
	{"PX-1004", "Tartu", 5.2, "collected", ""},
}

// notFound names itself, so that Umpire shows it as ParcelNotFound and not as
// the Go type of an error.
type notFound struct{ number string }

func (e notFound) Error() string      { return fmt.Sprintf("there is no parcel %s", e.number) }
func (notFound) MCPErrorType() string { return "ParcelNotFound" }

func find(number string) (parcel, error) {
	i := slices.IndexFunc(parcels, func(p parcel) bool { return strings.EqualFold(p.Number, number) })
	if i < 0 {
		return parcel{}, notFound{number}
	}
	return parcels[i], nil
}

// bound lists the parcels to city, in the order of their numbers.
func bound(city string) []parcel {
	var found []parcel
	for _, p := range parcels {
		if strings.EqualFold(p.To, city) {
			found = append(found, p)
		}
	}
	return found
}

// price is in cents, for a weight in kilograms.
func price(kg float64, express bool) int {
	cents := 390 + int(math.Ceil(kg))*85
	if express {
		cents *= 2
	}
	return cents
}

// countDepot takes its time, and stops when nobody waits any more.
func countDepot(ctx context.Context, shelves int) (int, error) {
	const perShelf = 100 * time.Millisecond
	for range shelves {
		select {
		case <-ctx.Done():
			return 0, fmt.Errorf("cannot count the depot: %w", ctx.Err())
		case <-time.After(perShelf):
		}
	}
	return 40 * shelves, nil
}
