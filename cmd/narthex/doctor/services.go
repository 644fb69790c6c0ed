package doctor

import (
	"context"
	"errors"
	"time"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/storage"
)

// serviceLimit limits the wait for one service, so that one that hangs leaves time for the others.
const serviceLimit = 8 * time.Second

// hostServices checks the host's services for modules, and mail. Nothing here blocks, because the platform
// starts without them.
func (e *Examination) hostServices(ctx context.Context) {
	if e.Sound&environment.HostSection == 0 {
		return
	}
	e.mail(ctx)
	e.objects(ctx)
}

// mail signs in to the mail server and sends nothing.
func (e *Examination) mail(ctx context.Context) {
	if e.Settings.Mail.Host == "" {
		e.ok("Mail: none is configured, so nobody can recover a password by mail (SERVICE_SMTP_HOST).")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, serviceLimit)
	defer cancel()
	transport, err := mail.New(e.Settings.Mail)
	if err != nil {
		e.blockAll(environment.ErrSMTP)
		return
	}
	result := transport.Probe(ctx)
	if result == mail.Sent {
		e.ok("Mail: the server takes this platform in; mail:test sends an email.")
		return
	}
	e.warn("MAIL_UNUSABLE", "The mail server cannot be used: "+string(result)+"; "+mailAdvice[result])
}

// mailAdvice says what to do about each result of the check.
var mailAdvice = map[mail.SendResult]string{
	mail.ConnectionFailed: "see whether SERVICE_SMTP_HOST and SERVICE_SMTP_PORT are right and a firewall lets " +
		"the platform out.",
	mail.TLSFailed: "see whether SERVICE_SMTP_SECURITY is what the server offers on that port, and whether " +
		"its certificate is valid for SERVICE_SMTP_HOST.",
	mail.AuthenticationFailed: "correct SERVICE_SMTP_USERNAME and SERVICE_SMTP_PASSWORD.",
	mail.Rejected:             "the server refuses this machine; its operator can say why.",
	mail.Deferred:             "the server refuses this for now; run doctor again later.",
	mail.Timeout:              "the server does not answer in time; see whether a firewall drops what is sent.",
}

// objects writes an object, reads it and deletes it.
func (e *Examination) objects(ctx context.Context) {
	if e.Settings.Storage.Endpoint == "" {
		e.ok("Object storage: none is configured (OBJECT_STORAGE_ENDPOINT); modules that keep files do not " +
			"start.")
		return
	}
	e.spool()
	ctx, cancel := context.WithTimeout(ctx, serviceLimit)
	defer cancel()
	provider, err := storage.New(e.Settings.Storage)
	if err != nil {
		e.blockAll(environment.ErrObjectStorage)
		return
	}
	defer provider.Close()
	err = provider.Probe(ctx)
	if err == nil {
		e.ok("Object storage: an object was stored, read and deleted.")
		return
	}
	code := storage.ErrUnavailable
	errors.As(err, &code)
	e.warn("OBJECT_STORAGE_UNUSABLE", "The object storage cannot be used: "+code.Code()+"; "+storageAdvice(code))
}

// storageAdvice says what to do about the code of the check.
func storageAdvice(code storage.Error) string {
	switch code {
	case storage.ErrAccessDenied:
		return "correct OBJECT_STORAGE_ACCESS_KEY and OBJECT_STORAGE_SECRET_KEY, and let them make buckets."
	case storage.ErrTimeout:
		return "it does not answer in time; see whether a firewall drops what is sent."
	}
	return "see whether it runs, and whether OBJECT_STORAGE_ENDPOINT is its address."
}

// spool checks where files wait that modules store on their way to the object storage.
func (e *Examination) spool() {
	switch storage.Spool(e.Settings.Storage) {
	case storage.SpoolInMemory:
		e.warn("SPOOL_IN_MEMORY", "Files that modules store pass through a directory that is memory; "+
			"give the service a StateDirectory= or CacheDirectory= on a disk, or set TMPDIR.")
	case storage.SpoolUnusable:
		e.warn("SPOOL_UNUSABLE", "Files that modules store pass through a directory that cannot be written; "+
			"give the service a StateDirectory= or CacheDirectory=, or set TMPDIR.")
	}
}
