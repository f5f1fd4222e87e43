package demo

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

//go:embed books.json
var booksJSON []byte

// book is one title of the bundled data set.
type book struct {
	SKU        string `json:"sku"`
	Title      string `json:"title"`
	Author     string `json:"author"`
	Year       int    `json:"year"`
	Subject    string `json:"subject"`
	PriceCents int    `json:"price_cents"`
}

type customer struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Country string `json:"country"`
	Since   string `json:"since"`
}

type order struct {
	ID         string   `json:"id"`
	CustomerID string   `json:"customer_id"`
	Status     string   `json:"status"`
	Placed     string   `json:"placed"`
	SKUs       []string `json:"skus"`
	TotalCents int      `json:"total_cents"`
}

// shop holds the data that the tools work on. It is made once and only read.
type shop struct {
	books     []book
	bySKU     map[string]book
	customers map[string]customer
	orders    map[string]order
	byOwner   map[string][]order
	stock     map[string]map[string]int // warehouse, SKU
}

var orderStatuses = []string{"awaiting_payment", "packed", "dispatched", "returned"}

// newShop reads the books and derives customers, orders and stock from them, the
// same each time.
func newShop() (*shop, error) {
	s := &shop{
		bySKU: map[string]book{}, customers: map[string]customer{}, orders: map[string]order{},
		byOwner: map[string][]order{}, stock: map[string]map[string]int{"leipzig": {}, "lyon": {}},
	}
	if err := json.Unmarshal(booksJSON, &s.books); err != nil {
		return nil, fmt.Errorf("cannot read the demo's books: %w", err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, b := range s.books {
		s.bySKU[b.SKU] = b
		s.stock["leipzig"][b.SKU] = rng.IntN(40)
		s.stock["lyon"][b.SKU] = rng.IntN(12)
	}
	first := []string{"Ada", "Bela", "Chidi", "Dana", "Emre", "Freya", "Goran", "Hana", "Ines", "Jonas"}
	last := []string{"Okafor", "Lind", "Moreau", "Novak", "Sato", "Weber"}
	countries := []string{"DE", "FR", "PL", "SE", "PT"}
	day := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	for i := range 60 {
		c := customer{
			ID: fmt.Sprintf("cus_%03d", i+1), Name: first[i%len(first)] + " " + last[i%len(last)],
			Country: countries[rng.IntN(len(countries))], Since: day.AddDate(0, 0, -rng.IntN(900)).Format(time.DateOnly),
		}
		s.customers[c.ID] = c
		if i%7 == 6 {
			continue // a customer who never bought anything
		}
		for range 1 + rng.IntN(5) {
			s.addOrder(rng, c, day)
		}
	}
	return s, nil
}

func (s *shop) addOrder(rng *rand.Rand, c customer, day time.Time) {
	o := order{
		ID: fmt.Sprintf("ORD-%05d", 40000+len(s.orders)), CustomerID: c.ID,
		Status: orderStatuses[rng.IntN(len(orderStatuses))],
		Placed: day.AddDate(0, 0, rng.IntN(300)).Format(time.DateOnly),
	}
	for range 1 + rng.IntN(3) {
		b := s.books[rng.IntN(len(s.books))]
		o.SKUs = append(o.SKUs, b.SKU)
		o.TotalCents += b.PriceCents
	}
	s.orders[o.ID] = o
	s.byOwner[c.ID] = append(s.byOwner[c.ID], o)
}

// search returns the books whose title, author or subject holds every word.
func (s *shop) search(query string, limit int) []book {
	found := []book{}
	words := strings.Fields(strings.ToLower(query))
	for _, b := range s.books {
		text := strings.ToLower(b.Title + " " + b.Author + " " + b.Subject)
		hit := len(words) > 0
		for _, w := range words {
			hit = hit && strings.Contains(text, w)
		}
		if hit && len(found) < limit {
			found = append(found, b)
		}
	}
	return found
}
