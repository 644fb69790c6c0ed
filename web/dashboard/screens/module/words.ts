import { wordsOf } from "../../words/words";

export const w = wordsOf({
	en: {
		moduleFailed: "{module} could not be shown.",
		moduleSlow: "{module} did not start in time.",
		moduleOld: "Not built for this platform. Rebuild it.",
		moduleGone: "{module} is no longer running.",
		moduleUnloadable: "{module} could not be loaded.",
		reloadPage: "Reload the page",
	},
	de: {
		moduleFailed: "{module} konnte nicht gezeigt werden.",
		moduleSlow: "{module} ist nicht rechtzeitig gestartet.",
		moduleOld: "Nicht für diese Plattform gebaut. Es muss neu gebaut werden.",
		moduleGone: "{module} läuft nicht mehr.",
		moduleUnloadable: "{module} konnte nicht geladen werden.",
		reloadPage: "Seite neu laden",
	},
});
