package setting

// Mail defines how emails are sent. Without a host none are sent.
type Mail struct {
	Host      string // "" means no mail
	Port      uint16
	Security  MailSecurity
	Username  string // "" means no authentication
	Password  Secret
	From      string // an address, or a name and an address
	HelloName string // "": the library's default
}

// MailSecurity defines how the connection to the mail server is protected.
type MailSecurity uint8

// The three modes.
const (
	StartTLS      MailSecurity = iota // a failed upgrade fails the send
	ImplicitTLS                       // TLS from the first byte
	PlaintextMail                     // refused in production
)
