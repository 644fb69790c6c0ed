package conform

var Printable = printable
