package sdk

// Fill reads the next piece of a Put's body.
var Fill = fill
