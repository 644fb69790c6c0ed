package httpserver

import (
	"bytes"
	"net/http"
)

// fault is the response to a transport fault, byte for byte (docs/reference/http-api.md): no body, except for
// a browser that opens a page, and the connection is closed after it.
type fault string

const (
	faultBadRequest fault = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"
	faultTimeout    fault = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n"
	faultHeadSize   fault = "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n"
	// A person who has too many cookies could not know what to do. Browsers send Accept before their cookies.
	faultPageHeadSize fault = "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n" +
		"Content-Type: text/html; charset=utf-8\r\nCache-Control: no-store\r\n" +
		"X-Content-Type-Options: nosniff\r\n\r\n" + tooManyCookies
)

// tooManyCookies is in every language, because nothing is read of a head that is too large.
const tooManyCookies = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Too many cookies</title>
<style>body{margin:15vh auto;padding:0 5vw;max-width:30em;font:18px/1.5 system-ui,sans-serif}</style>
<main>
<h1>Too many cookies</h1>
<p>Your browser keeps more cookies for this address than the server accepts. Other sites under the same name
have set them. Delete the cookies of this address in the browser's settings, and load the page again.</p>
<div lang="de">
<h2>Zu viele Cookies</h2>
<p>Ihr Browser hat für diese Adresse mehr Cookies, als der Server annimmt. Andere Seiten unter demselben Namen
haben sie gesetzt. Löschen Sie die Cookies dieser Adresse in den Einstellungen des Browsers, und laden Sie die
Seite neu.</p>
</div>
</main>
`

// line returns the fault's log line. It contains nothing about the request, the peer or the cause.
func (f fault) line() logLine {
	line := refusedLine
	switch f {
	case faultTimeout:
		line = timeoutLine
	case faultHeadSize, faultPageHeadSize:
		line.cause = CauseHead
	}
	return line
}

// status returns the response's status.
func (f fault) status() int {
	switch f {
	case faultTimeout:
		return http.StatusRequestTimeout
	case faultHeadSize, faultPageHeadSize:
		return http.StatusRequestHeaderFieldsTooLarge
	}
	return http.StatusBadRequest
}

// faultOf returns the fault for an error of framing.
func faultOf(err error) fault {
	switch err {
	case errHeadTooLarge:
		return faultHeadSize
	case errPageHeadTooLarge:
		return faultPageHeadSize
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
