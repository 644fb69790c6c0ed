package environment

import "github.com/narthex-platform/narthex/supervisor/setting"

// The settings that packages below the services take.
type (
	Secret       = setting.Secret
	Keys         = setting.Keys
	Mail         = setting.Mail
	MailSecurity = setting.MailSecurity
	Storage      = setting.Storage
)

// The modes of Mail.
const (
	StartTLS      = setting.StartTLS
	ImplicitTLS   = setting.ImplicitTLS
	PlaintextMail = setting.PlaintextMail
)

// NewSecret makes a Secret of value.
func NewSecret(value string) Secret { return setting.NewSecret(value) }
