import type { Tools } from "./tools";

/** Asks for confirmation before a slide is deleted. */
export function askToDelete({ context, say }: Tools, title: string): Promise<boolean> {
	return context.confirm({
		title: say("deleteQuestion"),
		body: say("deleteHelp", { title }),
		yes: say("delete"),
		no: say("keep"),
		danger: true,
	});
}
