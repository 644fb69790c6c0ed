import { kitEnglish } from "../../kit/words";

/** The words that all screens share, by id. */
export const english = {
	...kitEnglish,
	dashboard: "Dashboard",
	titleOf: "{screen} - Dashboard",
	skip: "Skip to content",
	menu: "Menu",
	account: "Account",
	accountOf: "{name}, account",
	accountAndSettings: "Account and settings",
	trail: "Where you are",
	modules: "Modules",
	permissions: "Permissions",
	screens: "Screens",
	navigation: "Navigation",
	administration: "Administration",
	smallPrint: "{code}, {time}",

	badBuild: "This page has an address it cannot use.",
	whoUnknown: "We cannot check who you are right now.",
	noServer: "We cannot reach the server right now.",
	notUnderstood: "The server gave an answer this page does not understand.",
	serverFailed: "That did not work just now.",
	offline: "You are offline. Nothing is lost, nothing is saved yet.",
	conflict: "Somebody else has changed this meanwhile.",
	tooLarge: "That is too large.",
	tooOften: { one: "You can try again in {count} second.", other: "You can try again in {count} s." },
	retriesItself: "This page tries again by itself.",

	sending: "Sending",
	saving: "Saving",

	noAccess: "You no longer have access ({permission}).",
	notThere: "There is nothing at this address.",
	moduleNotThere: "This module is not here, or not for you.",
	toHome: "Go to Home",

	leaveTitle: "Leave without saving?",
	leaveHelp: "What you have not saved is lost.",
	leave: "Leave",
	stay: "Stay",

	restart: "Waiting for a restart",
	changesWait: { one: "{count} change waits for a restart.", other: "{count} changes wait for a restart." },
	whatChanges: "What changes?",
	checkAgain: "Check again",
	askForRestart: "Ask the person who runs the server to restart it.",
	stopsNext: "{module} stops at the next restart.",
	startsNext: "{module} starts at the next restart.",
	settingsNext: "{module} changes settings at the next restart.",
	nothingWaits: "Nothing waits for a restart.",

	signOut: "Sign out",
	stillSignedIn: "You are still signed in.",

	newVersion: "A new version is here.",
	reload: "Reload",
} as const;
