package main

import (
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// Limits of a service.
const (
	maxTitle = 120 // characters
	maxItems = 40  // so that the whole plan fits into one message for the phone
)

// service is an order of service in the form of lists.
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

// serviceDraft is a service in the form that callers send.
type serviceDraft struct {
	Title    string    `json:"title"`
	StartsAt time.Time `json:"startsAt"`
	Rev      *int64    `json:"rev"` // only of an edit: the rev that the writer saw
}

func (d *serviceDraft) check() error {
	d.Title = normalized(d.Title)
	if !sdk.IsLine(d.Title, 1, maxTitle) || d.StartsAt.Year() < 1900 || d.StartsAt.Year() > 2999 {
		return sdk.ErrRequestInvalid
	}
	return nil
}
