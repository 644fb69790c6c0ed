package httpserver

import (
	"bytes"
	"net/http"
)

// fault is the response to a transport fault, byte for byte (docs/reference/http-api.md): no body, and the
// connection is closed after it.
type fault string

const (
	faultBadRequest fault = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"
	faultTimeout    fault = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n"
	faultHeadSize   fault = "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n"
)

// line returns the fault's log line. It contains nothing about the request, the peer or the cause.
func (f fault) line() logLine {
	line := refusedLine
	switch f {
	case faultTimeout:
		line = timeoutLine
	case faultHeadSize:
		line.cause = CauseHead
	}
	return line
}

// status returns the response's status.
func (f fault) status() int {
	switch f {
	case faultTimeout:
		return http.StatusRequestTimeout
	case faultHeadSize:
		return http.StatusRequestHeaderFieldsTooLarge
	}
	return http.StatusBadRequest
}

// faultOf returns the fault for an error of framing.
func faultOf(err error) fault {
	if err == errHeadTooLarge {
		return faultHeadSize
	}
	return faultBadRequest
}

// faultOfResponse returns the fault that replaces an error response of net/http: 431 stays 431, all others
// (400, 417, 501, 505) become 400.
func faultOfResponse(body []byte) fault {
	if bytes.HasPrefix(body, []byte("HTTP/1.1 431 ")) {
		return faultHeadSize
	}
	return faultBadRequest
}

// isContinue reports whether body is an interim response (100 Continue) and not a final one.
func isContinue(body []byte) bool {
	return bytes.HasPrefix(body, []byte("HTTP/1.1 100 "))
}
