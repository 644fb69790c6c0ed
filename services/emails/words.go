package emails

// words contains all texts of the emails in one language. No field is empty.
type words struct {
	Language string // as in the settings of the house, and for HTML's lang attribute
	Greeting string

	ConfirmAddress  message
	ResetPassword   message
	PasswordChanged message

	PasskeyAdded     message
	PasskeyRemoved   message
	PasskeyReminder  message
	RecoveryCodeUsed message

	Invited message
	Test    message
}

// message contains the texts of one email.
type message struct {
	Title       string // also the subject
	Text        string
	Button      string
	Note        string
	Unrequested string // for a person who did not expect the email
}

// wordsOf returns English for a language that this version does not have.
func wordsOf(language string) *words {
	switch language {
	case german.Language:
		return &german
	default:
		return &english
	}
}
