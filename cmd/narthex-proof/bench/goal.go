package main

import "fmt"

// goal is the figure that a row should reach. The zero goal means that there is none.
type goal struct {
	sense sense
	value float64
	of    measure
}

type sense string

const (
	atLeast sense = ">="
	atMost  sense = "<="
)

// measure is what a goal's value refers to.
type measure int

const (
	ofItself measure = iota // the row's figure, in its unit
	ofLimit                 // the ratio to the limit's figure
	ofOlder                 // the ratio to the older program's figure
)

func itself(s sense, value float64) goal  { return goal{s, value, ofItself} }
func toLimit(s sense, value float64) goal { return goal{s, value, ofLimit} }
func toOlder(s sense, value float64) goal { return goal{s, value, ofOlder} }

// judge returns the goal in words, and whether the median reaches it.
func (g goal) judge(own, limit, older []float64) string {
	if g.sense == "" {
		return ""
	}
	reached, words := own, ""
	switch g.of {
	case ofLimit:
		reached, words = ratios(own, limit), " to limit"
	case ofOlder:
		reached, words = ratios(own, older), " to older"
	}
	said := fmt.Sprintf("%s %s%s", g.sense, short(g.value), words)
	switch middle := median(reached); {
	case len(reached) == 0:
		return said
	case g.sense == atLeast && middle >= g.value, g.sense == atMost && middle <= g.value:
		return said + ": reached"
	default:
		return said + ": missed"
	}
}
