package main

import "time"

// The channels of a service that goes on: what screens show, and what the phone that drives them needs.
const (
	screenChannel  = "screen"
	controlChannel = "control"
)

// What screens show.
const (
	showLive  = "live"
	showBlack = "black"
	showLogo  = "logo"
)

// live is where the service stands that is driven.
type live struct {
	ServiceID *string   `json:"serviceId"` // null: none is driven
	ItemID    *string   `json:"itemId"`
	Section   int64     `json:"section"` // which step of the item
	ItemSince time.Time `json:"itemSince"`
	Screen    string    `json:"screen"`
	Message   string    `json:"message"`
	Rev       int64     `json:"rev"`
}

// controlUpdate is what phones are told, and what a press is answered with.
type controlUpdate struct {
	Live   live    `json:"live"`
	Driver *string `json:"driver"` // a person's id
	Timer  *timer  `json:"timer"`
	Ack    *string `json:"ack"` // the press that made this
	// Whether the plan is another one than before: then the phone asks for a new snapshot.
	PlanChanged bool `json:"planChanged"`
}

// control is the snapshot of controlChannel.
type control struct {
	ServerTime time.Time `json:"serverTime"`
	Plan       *plan     `json:"plan"`
	Live       live      `json:"live"`
	Driver     *string   `json:"driver"`
	Timer      *timer    `json:"timer"`
}

// plan is the service that is driven, with the words of every item as screens show them.
type plan struct {
	ID       string     `json:"id"`
	Title    string     `json:"title"`
	StartsAt time.Time  `json:"startsAt"`
	Items    []planItem `json:"items"`
}

type planItem struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Title   string `json:"title"`
	Seconds int64  `json:"seconds"`
	Steps   []step `json:"steps"`
}

// screen is the whole of what a screen shows. It comes as a snapshot and after every change; the one with the
// highest rev counts.
type screen struct {
	ServerTime time.Time   `json:"serverTime"`
	Rev        int64       `json:"rev"`
	Now        *step       `json:"now"`
	Next       *nextStep   `json:"next"`
	Timer      *timer      `json:"timer"`
	Screen     string      `json:"screen"`
	Message    string      `json:"message"`
	Title      string      `json:"title"`
	Settings   appearances `json:"settings"`
}

// nextStep is what comes next, in a line.
type nextStep struct {
	Label string `json:"label"`
	Line  string `json:"line"`
}

// timer says when the time is over, and of what it is.
type timer struct {
	EndsAt time.Time `json:"endsAt"`
	Mode   string    `json:"mode"`
}

// appearances are how an administrator wants the screens to look.
type appearances struct {
	FontScale int64 `json:"fontScale"`
	ShowNext  bool  `json:"showNext"`
}
