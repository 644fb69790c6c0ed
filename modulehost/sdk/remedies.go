package sdk

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"
	"syscall"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// remedies are hints for the author, one for each code that a module can get.
var remedies = map[Error]string{
	ErrHostOverloaded: "the platform holds 64 MiB for this module, in requests, responses, rows and streams; " +
		"read rows and objects in smaller parts, and respond with less",
	ErrLinkLost: "the platform has closed the link and ends this process; the log of the platform says why " +
		"(module process ended)",
	ErrMessageTooLarge: "the call or its result has more than 1.25 MiB; split a statement and its values, and " +
		"read large results with Query instead of a batch",
	ErrMessageUnencodable: "a text of the call is not UTF-8, perhaps a part of the request's path; check it " +
		"with utf8.ValidString, or send bytes to a column of the type bytea",
	ErrDatabaseUnavailable: "no connection was free for 5 s, or the connection broke; the module has four: " +
		"end transactions soon (InTx), close rows, and call nothing slow in between",
	ErrTransactionEnded: "an earlier statement of the transaction has failed, it took more than 30 s, or a " +
		"statement ended it; return the first error from InTx, and send no COMMIT or ROLLBACK of your own",
	ErrRowsUnread: "an earlier query's rows are neither read to the end nor closed; call Close on them before " +
		"the transaction's next statement",
	ErrRowsEnded: "the rows were not read for 30 s; read them first and do slow work afterwards",
	ErrRowTooLarge: "a row has more than 1 MiB; select fewer or shorter columns, and keep files in " +
		"storage.buckets",
	ErrPrincipalUnresolved: "the platform could not read the permissions of the person; the client gets 503 " +
		"and may try again",
	ErrOutsideRequest: "Can needs the context of a request; pass the handler's ctx on, and decide before work " +
		"that goes on in the background",
	ErrRequestInvalid: "the client sent what the route does not take; Decode, Query, ReadPage and " +
		"ReadExchange say what",
	ErrSecretAbsent: "the deployment has no value for the secret; its variable is " +
		"SERVICE_MODULE_SECRET__<MODULE>__<KEY>, as in SERVICE_MODULE_SECRET__WEATHER__API_TOKEN",
	ErrCollectionTable: "change the table by a new migration, or the struct and its collection tags; in " +
		"narthex-dev dev, --reset-module applies changed migrations anew",
	ErrCapabilityAbsent: "the other module does not run; the dependency is optional, so go on without it",
	ErrCapabilityFailed: "the other module is restarting, failed, took more than 10 s, or sent or got more " +
		"than 256 KiB of JSON; its own lines say more (narthex modules:logs)",
	ErrTooManyMails: "a module sends at most 30 mails a minute; send the others later (Registry.Every)",
	ErrPermissionDenied: "module.json does not ask for it: \"people\": {\"names\": true} for People, " +
		"entrypoints.link for Links",
	ErrStoreUnavailable: "the platform could not read or write its own tables; try again later",
	ErrChannelUnknown:   "the module registers no channel of this name; declare it with Registry.Channel",
	ErrChannelLatest: "Publish is for a channel of Registry.Channel, and PublishLatest for one of " +
		"Registry.LatestChannel",
	ErrChannelKey: "a key has 1 to 128 bytes of UTF-8, and a channel at most 128 different ones; delete none, " +
		"but use fewer",
	ErrUpdateTooLarge: "an update has at most 64 KiB of JSON, and a value of a LatestChannel 8 KiB; publish " +
		"what has changed, or only a rev, and let pages ask for the rest",
	ErrLinkCapacity: "the module has 50,000 links; give them an end, and revoke those that nobody needs",
	ErrNotFound: "no object has this key in this bucket; compare the key with the one of Put, and " +
		"expect objects to be gone",
	ErrKeyInvalid: "a key has 1 to 512 of A-Z a-z 0-9 ! _ . * ' ( ) - and /, without an empty, \".\" or " +
		"\"..\" part; do not use names that people have chosen",
	ErrAccessDenied: "the storage service denies the platform access to the bucket; narthex doctor says " +
		"more",
	ErrTooLarge:        "an object has at most 32 MiB",
	ErrLifetimeInvalid: "a read URL lives 1 minute to 6 hours, in whole seconds",
	ErrTimeout: "the storage service was too slow, or the object was not read or written on for 30 s; " +
		"try again, and read it in one go",
	ErrUnavailable: "the storage service does not respond, or four objects are open already; close each " +
		"(io.ReadCloser), and try again later",
	Error(link.ErrBodyAborted): "the client disconnected; return the error",
	Error(link.ErrBodyClosed):  "the response has begun; read the request's body before",
	errDatabaseAbsent:          "module.json has no \"database\"; add it, with \"abi\": 1",
	errMethodUnknown:           "the platform is older than this SDK; see compatibility.platform in module.json",
	codeRunning:                "the schedule's previous run has not ended; let it end with its ctx",
}

// Codes of the platform that no call of the SDK names.
const (
	errDatabaseAbsent = Error("DATABASE_NOT_DECLARED")
	errMethodUnknown  = Error("METHOD_UNKNOWN")
)

// mistake is a mistake with the place and the remedy in its own text.
type mistake struct {
	code Error
	text string
}

func (m *mistake) Error() string { return m.code.Error() + ": " + m.text }

func (m *mistake) Unwrap() error { return m.code }

// invalid returns ErrRequestInvalid with what is wrong with the request.
func invalid(format string, arguments ...any) error {
	return &mistake{ErrRequestInvalid, fmt.Sprintf(format, arguments...)}
}

// withRemedy returns the text of an error, with its remedy if there is one.
func withRemedy(err error) string {
	if own := (*mistake)(nil); errors.As(err, &own) {
		return err.Error()
	}
	remedy := sandboxRemedy(err)
	for _, code := range codesOf(err) {
		if remedy == "" {
			remedy = remedies[code]
		}
	}
	if remedy == "" {
		return err.Error()
	}
	return err.Error() + ": " + remedy
}

func codesOf(err error) (codes []Error) {
	if code := Error(""); errors.As(err, &code) {
		codes = append(codes, code)
	}
	if code := link.Error(""); errors.As(err, &code) { // of a body
		codes = append(codes, Error(code))
	}
	return codes
}

// sandboxRemedy returns what a module may do instead of what its sandbox has refused; "" for other errors.
func sandboxRemedy(err error) string {
	network, lookup := (*net.OpError)(nil), (*net.DNSError)(nil)
	if errors.As(err, &network) || errors.As(err, &lookup) {
		return "the sandbox gives a module no network; use Host.Mail, Host.Storage and Host.Capability, or let " +
			"the browser ask"
	}
	if isProgram(err) {
		return "the sandbox lets a module start no program; do it in Go"
	}
	path := (*fs.PathError)(nil)
	refused := errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EROFS)
	switch {
	case errors.As(err, &path) && refused && strings.HasPrefix(path.Path, "/dev/null"):
		return "the sandbox has no /dev/null, and lets a module start no program; use io.Discard, and do it in Go"
	case errors.As(err, &path) && refused:
		return "the sandbox lets a module read the files of its own package and write none; embed files " +
			"(go:embed), and store with Host.DB or Host.Storage"
	case refused:
		return "the sandbox refuses this call of the operating system"
	}
	return ""
}

// isProgram reports whether an error comes from starting a program. It does not import os/exec, which would
// make every module larger.
func isProgram(err error) bool {
	if path := (*fs.PathError)(nil); errors.As(err, &path) && path.Op == "fork/exec" {
		return true
	}
	for ; err != nil; err = errors.Unwrap(err) {
		if fmt.Sprintf("%T", err) == "*exec.Error" {
			return true
		}
	}
	return false
}
