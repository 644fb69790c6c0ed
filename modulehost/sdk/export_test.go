package sdk

// ServeOn is Serve on sockets that a test made.
var ServeOn = serveOn
