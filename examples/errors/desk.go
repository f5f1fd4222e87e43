package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
)

// desk knows where the two services are.
type desk struct {
	tickets, customers string
	http               *http.Client
}

// record is what a service has about a ticket or a customer.
type record struct {
	Number string `json:"number"`
	Title  string `json:"title"`
}

// ask gets one record. It is an ordinary client on net/http that knows nothing
// of Umpire: a status that is no success is an error of its own making, and is
// returned beside it.
func (d *desk) ask(ctx context.Context, service, kind, number string) (found record, status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, service+"/"+kind+"/"+url.PathEscape(number), http.NoBody)
	if err != nil {
		return record{}, 0, fmt.Errorf("cannot ask for %s: %w", kind, err)
	}
	res, err := d.http.Do(req)
	if err != nil {
		return record{}, 0, fmt.Errorf("cannot ask for %s: %w", kind, err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return record{}, res.StatusCode, fmt.Errorf("cannot get %s of %s: the service answered %s", number, kind, res.Status)
	}
	if err := json.NewDecoder(res.Body).Decode(&found); err != nil {
		return record{}, res.StatusCode, fmt.Errorf("cannot read the answer about %s: %w", kind, err)
	}
	return found, res.StatusCode, nil
}
