package main

import (
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// Limits of a service.
const (
	maxTitle = 120 // characters
	maxItems = 40  // so that the whole plan is one message to the phone
)

// service is an order of service as a list has it.
type service struct {
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	StartsAt time.Time `json:"startsAt"`
	Items    int64     `json:"items"`
	Seconds  int64     `json:"seconds"`
	Rev      int64     `json:"rev"`
}

// fullService is a service with its items, in their order.
type fullService struct {
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	StartsAt time.Time `json:"startsAt"`
	Rev      int64     `json:"rev"`
	Items    []item    `json:"items"`
}

// serviceDraft is what a caller writes.
type serviceDraft struct {
	Title    string    `json:"title"`
	StartsAt time.Time `json:"startsAt"`
	Rev      *int64    `json:"rev"` // an edit's: what the writer saw
}

func (d *serviceDraft) check() error {
	d.Title = normalized(d.Title)
	if !isLine(d.Title, 1, maxTitle) || d.StartsAt.Year() < 1900 || d.StartsAt.Year() > 2999 {
		return sdk.ErrRequestInvalid
	}
	return nil
}
