package emails

// words is everything that the mails say in one language. No field is empty.
type words struct {
	Language string // as the house names it, and HTML's lang attribute
	Greeting string
	Copy     string // before the link, for programs in which the button does nothing

	ConfirmAddress  message
	ResetPassword   message
	PasswordChanged message
	Invited         message
	Test            message
}

// message is what one mail says.
type message struct {
	Title       string // the subject too
	Text        string
	Button      string
	Note        string
	Unrequested string // for somebody who did not expect the mail
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
