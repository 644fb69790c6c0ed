package emails

// The texts use the formal form of address, and no word that assumes a gender.
var german = words{
	Language: "de",
	Greeting: "Guten Tag!",

	ConfirmAddress: message{
		Title: "Bestätigen Sie Ihre E-Mail-Adresse",
		Text: "Bitte bestätigen Sie, dass dies Ihre E-Mail-Adresse ist. Auf der Seite, die sich öffnet, " +
			"genügt ein Klick.",
		Button:      "Meine E-Mail-Adresse bestätigen",
		Note:        "Der Link ist eine Stunde lang gültig.",
		Unrequested: "Wenn Sie diese E-Mail nicht angefordert haben, brauchen Sie nichts zu tun.",
	},
	ResetPassword: message{
		Title: "Wählen Sie ein neues Passwort",
		Text: "Für das Konto mit dieser E-Mail-Adresse wurde ein neues Passwort angefordert. Wenn Sie das " +
			"waren, wählen Sie es jetzt.",
		Button: "Neues Passwort wählen",
		Note: "Der Link ist eine Stunde lang gültig, höchstens aber, bis mit diesem oder einem anderen Link " +
			"ein neues Passwort gewählt wurde.",
		Unrequested: "Wenn Sie das nicht waren, brauchen Sie nichts zu tun: Ihr Passwort bleibt, wie es ist.",
	},
	PasswordChanged: message{
		Title: "Ihr Passwort wurde geändert",
		Text: "Das Passwort des Kontos mit dieser E-Mail-Adresse wurde geändert. Alle Geräte wurden " +
			"abgemeldet.",
		Button: "Zur Anmeldung",
		Note:   "Wenn Sie das waren, brauchen Sie nichts zu tun.",
		Unrequested: "Wenn Sie das nicht waren, kann eine fremde Person Ihre E-Mails lesen: Ändern Sie zuerst " +
			"das Passwort Ihres Postfachs. Wählen Sie dann hier über „Passwort vergessen?“ ein neues, und " +
			"sagen Sie den Menschen Bescheid, die diese Website betreiben.",
	},
	PasskeyAdded: message{
		Title: "Ein Passkey wurde hinzugefügt",
		Text: "Zum Konto mit dieser E-Mail-Adresse wurde ein Passkey hinzugefügt. Bei der Anmeldung wird nach " +
			"dem Passwort nun auch ein Passkey verlangt.",
		Button: "Zum Dashboard",
		Note:   "Wenn Sie das waren, brauchen Sie nichts zu tun.",
		Unrequested: "Wenn Sie das nicht waren, kennt eine fremde Person Ihr Passwort: Wählen Sie über " +
			"„Passwort vergessen?“ ein neues, und sagen Sie den Menschen Bescheid, die diese Website betreiben. " +
			"Diese können den Passkey entfernen.",
	},
	PasskeyRemoved: message{
		Title: "Ein Passkey wurde entfernt",
		Text: "Vom Konto mit dieser E-Mail-Adresse wurde ein Passkey entfernt. Er öffnet hier nichts " +
			"mehr.",
		Button: "Zum Dashboard",
		Note:   "Wenn Sie das waren, brauchen Sie nichts zu tun.",
		Unrequested: "Wenn Sie das nicht waren, kann eine fremde Person Ihr Konto benutzen: Wählen Sie über " +
			"„Passwort vergessen?“ ein neues Passwort, und sagen Sie den Menschen Bescheid, die diese Website " +
			"betreiben.",
	},
	PasskeyReminder: message{
		Title: "Bitte fügen Sie einen Passkey hinzu",
		Text: "Wer diese Website verwaltet, bittet Sie um einen Passkey: Dann bestätigt Ihr Telefon oder " +
			"Computer jede Anmeldung, und ein gestohlenes Passwort allein öffnet nichts. Melden Sie sich an und " +
			"wählen Sie „Konto“ und dort „Wie Sie sich anmelden“.",
		Button: "Zum Dashboard",
		Note: "Das dauert eine Minute. Bewahren Sie die Notfallcodes auf, die mit dem ersten Passkey " +
			"erscheinen.",
		Unrequested: "Wenn Sie hier kein Konto haben, ignorieren Sie diese Mail.",
	},
	RecoveryCodeUsed: message{
		Title: "Ein Notfallcode wurde benutzt",
		Text: "Beim Konto mit dieser E-Mail-Adresse hat sich jemand mit dem Passwort und einem " +
			"Notfallcode angemeldet. Dieser Code gilt nicht noch einmal.",
		Button: "Zum Dashboard",
		Note:   "Wenn Sie das waren, brauchen Sie nichts zu tun. Neue Codes gibt es unter „Konto“.",
		Unrequested: "Wenn Sie das nicht waren, hat eine fremde Person Ihr Passwort und Ihre Codes: Wählen Sie " +
			"über „Passwort vergessen?“ ein neues Passwort, erstellen Sie neue Codes, und sagen Sie den " +
			"Menschen Bescheid, die diese Website betreiben.",
	},
	Invited: message{
		Title: "Sie sind eingeladen",
		Text: "Sie sind eingeladen, hier mitzumachen. Wählen Sie Ihren Namen und ein Passwort, dann ist " +
			"Ihr Konto fertig.",
		Button:      "Mitmachen",
		Note:        "Der Link gilt sieben Tage und nur einmal.",
		Unrequested: "Wenn Sie diese Mail nicht erwartet haben, ist nichts zu tun: Ohne Sie entsteht kein Konto.",
	},
	Test: message{
		Title: "Der Mailversand funktioniert",
		Text: "Dies ist ein Test. Wenn Sie ihn lesen können, erreichen E-Mails von dieser Website diese " +
			"Adresse.",
		Button: "Zum Dashboard",
		Note:   "Sie brauchen nichts zu tun.",
		Unrequested: "Wenn Sie diese E-Mail nicht erwartet haben: Sie wurde von den Menschen verschickt, " +
			"die diese Website betreiben.",
	},
}
