package httpserver

import (
	"bytes"
	"net/http"
)

// fault is the response to a transport fault, byte for byte (docs/reference/http-api.md): no body, and the
// connection ends behind it.
type fault string

const (
	faultBadRequest fault = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"
	faultTimeout    fault = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n"
	faultHeadSize   fault = "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n"
)

// line is the whole line of the log: nothing of the request, the peer or the cause goes with it.
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

// status is the response's.
func (f fault) status() int {
	switch f {
	case faultTimeout:
		return http.StatusRequestTimeout
	case faultHeadSize:
		return http.StatusRequestHeaderFieldsTooLarge
	}
	return http.StatusBadRequest
}

// faultOf is the response to bytes that framing refused.
func faultOf(err error) fault {
	if err == errHeadTooLarge {
		return faultHeadSize
	}
	return faultBadRequest
}

// faultOfResponse is what stands for a response that net/http wrote by itself, whatever that was: 400, 417,
// 501, 505.
func faultOfResponse(body []byte) fault {
	if bytes.HasPrefix(body, []byte("HTTP/1.1 431 ")) {
		return faultHeadSize
	}
	return faultBadRequest
}

// isContinue tells an interim response (100 Continue) from a final one.
func isContinue(body []byte) bool {
	return bytes.HasPrefix(body, []byte("HTTP/1.1 100 "))
}
