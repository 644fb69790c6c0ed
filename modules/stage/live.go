package main

import "time"

// The channels of a driven service: for screens, and for the phone that drives them.
const (
	screenChannel  = "screen"
	controlChannel = "control"
)

// What screens show.
const (
	showLive  = "live"
	showBlack = "black"
	showLogo  = "logo"
	// showCountdown counts down to the start of the service. Then it is the same as showLive.
	showCountdown = "countdown"
)

// live is the current position in the service that is being driven.
type live struct {
	ServiceID *string   `json:"serviceId"` // null: no service is being driven
	ItemID    *string   `json:"itemId"`
	Section   int64     `json:"section"` // the current step of the item
	ItemSince time.Time `json:"itemSince"`
	Screen    string    `json:"screen"`
	Message   string    `json:"message"`
	Rev       int64     `json:"rev"`
}

// controlUpdate is an update for phones, and the response to a press.
type controlUpdate struct {
	Live   live    `json:"live"`
	Driver *string `json:"driver"` // a person's id
	Timer  *timer  `json:"timer"`
	Ack    *string `json:"ack"` // the press that caused it
	// Whether the plan has changed. Then the phone requests a new snapshot.
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

// plan is the service that is being driven, with the words of every item as screens show them.
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
	Capo    int64  `json:"capo"`
	Steps   []step `json:"steps"`
}

// screen is everything that a screen shows. It is sent as a snapshot and after every change; the one with the
// highest rev is valid.
type screen struct {
	ServerTime time.Time   `json:"serverTime"`
	Rev        int64       `json:"rev"`
	Now        *step       `json:"now"`
	Next       *nextStep   `json:"next"`
	Timer      *timer      `json:"timer"`
	Screen     string      `json:"screen"`
	StartsAt   *time.Time  `json:"startsAt"` // of the service that is being driven
	Capo       int64       `json:"capo"`
	Message    string      `json:"message"`
	Title      string      `json:"title"`
	Settings   appearances `json:"settings"`
}

// nextStep is the next step, in one line.
type nextStep struct {
	Label string `json:"label"`
	Line  string `json:"line"`
}

// timer is the end of the current time, and what it counts.
type timer struct {
	EndsAt time.Time `json:"endsAt"`
	Mode   string    `json:"mode"`
}

// appearances are an administrator's settings for the screens.
type appearances struct {
	FontScale int64 `json:"fontScale"`
	ShowNext  bool  `json:"showNext"`
}
