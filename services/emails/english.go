package emails

var english = words{
	Language: "en",
	Greeting: "Hello,",

	ConfirmAddress: message{
		Title:       "Confirm your e-mail",
		Text:        "Please confirm that this is your e-mail address. The page that opens asks for one click.",
		Button:      "Confirm my e-mail",
		Note:        "The link works for one hour.",
		Unrequested: "If you did not ask for this mail, you can ignore it: nothing happens without you.",
	},
	ResetPassword: message{
		Title: "Choose a new password",
		Text: "Somebody asked for a new password for the account with this e-mail address. If that was " +
			"you, choose it now.",
		Button:      "Choose a new password",
		Note:        "The link works for one hour, until a new password has been chosen with this or another link.",
		Unrequested: "If it was not you, you can ignore this mail: your password stays as it is.",
	},
	PasswordChanged: message{
		Title: "Your password was changed",
		Text: "The password of the account with this e-mail address was changed, and every device was signed " +
			"out.",
		Button: "Open the sign-in page",
		Note:   "If that was you, there is nothing to do.",
		Unrequested: "If it was not you, somebody can read your e-mail: change the password of your mailbox, " +
			"then choose a new one here with “Forgot password?”, and tell the people who run this site.",
	},
	PasskeyAdded: message{
		Title: "A passkey was added",
		Text: "A passkey was added to the account with this e-mail address. Signing in now asks for a passkey " +
			"after the password.",
		Button: "Open the Dashboard",
		Note:   "If that was you, there is nothing to do.",
		Unrequested: "If it was not you, somebody knows your password: choose a new one with “Forgot " +
			"password?”, and tell the people who run this site. They can remove the passkey.",
	},
	PasskeyRemoved: message{
		Title:  "A passkey was removed",
		Text:   "A passkey was removed from the account with this e-mail address. It opens nothing here any more.",
		Button: "Open the Dashboard",
		Note:   "If that was you, there is nothing to do.",
		Unrequested: "If it was not you, somebody can use your account: choose a new password with “Forgot " +
			"password?”, and tell the people who run this site.",
	},
	PasskeyReminder: message{
		Title: "Please add a passkey",
		Text: "The people who administer this site ask you to add a passkey: your phone or computer then " +
			"confirms each sign-in, and a stolen password alone opens nothing. Sign in, choose Account, and " +
			"there “How you sign in”.",
		Button:      "Open the Dashboard",
		Note:        "It takes a minute. Keep the recovery codes that are shown with the first passkey.",
		Unrequested: "If you have no account here, you can ignore this mail.",
	},
	RecoveryCodeUsed: message{
		Title: "A recovery code was used",
		Text: "Somebody signed in to the account with this e-mail address with its password and a recovery " +
			"code. This code does not work again.",
		Button: "Open the Dashboard",
		Note:   "If that was you, there is nothing to do. New codes are made under Account.",
		Unrequested: "If it was not you, somebody has your password and your codes: choose a new password with " +
			"“Forgot password?”, make new codes, and tell the people who run this site.",
	},
	Invited: message{
		Title: "You are invited",
		Text: "You are invited to join this site. Choose your name and a password, and your account is " +
			"ready.",
		Button:      "Join",
		Note:        "The link works for seven days, and once.",
		Unrequested: "If you did not expect this mail, you can ignore it: no account is made without you.",
	},
	Test: message{
		Title:       "Mail works",
		Text:        "This is a test. As you can read it, mail from this site reaches this address.",
		Button:      "Open the Dashboard",
		Note:        "There is nothing to do.",
		Unrequested: "If you did not expect this mail, you can ignore it: somebody who runs this site sent it.",
	},
}
