package environment

import (
	"net/mail"
	"net/netip"
	"strings"
)

func readSMTPHost(in input, out *Settings) Error {
	out.Mail.Host = in.value
	return unless(!in.set || isHost(in.value), ErrSMTP)
}

func readSMTPSecurity(in input, out *Settings) Error {
	switch {
	case !in.set || in.value == "starttls":
		out.Mail.Security = StartTLS
	case in.value == "tls":
		out.Mail.Security = ImplicitTLS
	case in.value == "plaintext" && !in.production:
		out.Mail.Security = PlaintextMail
	default:
		return ErrSMTP
	}
	return ""
}

func readSMTPPort(in input, out *Settings) Error {
	if !in.set {
		out.Mail.Port = map[MailSecurity]uint16{StartTLS: 587, ImplicitTLS: 465,
			PlaintextMail: 25}[out.Mail.Security]
		return ""
	}
	port, ok := parsePort(in.value)
	out.Mail.Port = port
	return unless(ok && port > 0, ErrSMTP)
}

func readSMTPUsername(in input, out *Settings) Error {
	out.Mail.Username = in.value
	return unless(!hasControl(in.value), ErrSMTP)
}

// readSMTPPassword refuses a user name without a password, and a password without a user name.
func readSMTPPassword(in input, out *Settings) Error {
	out.Mail.Password = NewSecret(in.value)
	return unless(in.set == (out.Mail.Username != ""), ErrSMTP)
}

func readSMTPFrom(in input, out *Settings) Error {
	if !in.set {
		return unless(out.Mail.Host == "", ErrSMTP)
	}
	_, err := mail.ParseAddress(in.value)
	out.Mail.From = in.value
	return unless(err == nil && !hasControl(in.value), ErrSMTP)
}

// readSMTPHelloName accepts a fully qualified domain name only: with an address literal or a bare host name,
// receiving servers would treat every email as suspicious.
func readSMTPHelloName(in input, out *Settings) Error {
	if !in.set {
		return ""
	}
	labels := strings.Split(strings.ToLower(in.value), ".")
	for _, label := range labels {
		if !isLabel(label) {
			return ErrSMTP
		}
	}
	_, err := netip.ParseAddr(in.value)
	out.Mail.HelloName = in.value
	return unless(len(labels) > 1 && len(in.value) <= 253 && err != nil, ErrSMTP)
}

func hasControl(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f || 0x80 <= r && r < 0xa0 })
}
