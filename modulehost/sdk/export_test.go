package sdk

// WithRemedy returns what an author reads of an error.
var WithRemedy = withRemedy

// Fill reads the next piece of a Put's body.
var Fill = fill
