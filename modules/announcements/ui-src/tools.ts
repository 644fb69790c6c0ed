import type { ModuleUiContext } from "@narthex/sdk";
import { SlidesApi } from "./api";
import { languageFor, type Say, wordsFor } from "./words";

/** What every part of this UI works with. */
export interface Tools {
	readonly context: ModuleUiContext;
	readonly api: SlidesApi;
	readonly say: Say;
	readonly language: string;
	/** Whether the person may write: a hint, the server decides. */
	readonly manages: boolean;
	/** A moment as people write it. */
	time(moment: string): string;
}

export function toolsOf(context: ModuleUiContext): Tools {
	const language = languageFor(context.locale);
	const form = new Intl.DateTimeFormat(language, {
		weekday: "short",
		day: "numeric",
		month: "short",
		hour: "2-digit",
		minute: "2-digit",
	});
	return {
		context,
		api: new SlidesApi(context),
		say: wordsFor(language),
		language,
		manages: context.permissions.includes("announcements.slides.manage"),
		time: (moment) => form.format(new Date(moment)),
	};
}
