import { defineModuleUi, type ModuleUiContext } from "@narthex/sdk";

interface Note {
	readonly id: number;
	readonly text: string;
}

interface Page {
	readonly notes: readonly Note[];
	readonly nextCursor: string | null;
}

/** The notes, and a form for people who may write. The permission is only a hint here: the server decides. */
async function mount(container: HTMLElement, context: ModuleUiContext): Promise<void> {
	const list = document.createElement("ul");
	const more = document.createElement("button");
	more.textContent = "More";
	container.append(list, more);
	if (context.permissions.some((permission) => permission.endsWith(".write"))) container.prepend(form());
	let next: string | null = null;
	more.addEventListener("click", () => void showMore());
	await showNewest();

	async function showNewest(): Promise<void> {
		list.replaceChildren(...(await read("/notes")));
	}

	async function showMore(): Promise<void> {
		if (next !== null) list.append(...(await read(`/notes?cursor=${next}`)));
	}

	/** Reads one page of the notes, the newest first. */
	async function read(path: string): Promise<HTMLElement[]> {
		const response = await context.api(path);
		if (!response.ok) throw new Error(`The notes could not be read (${response.status}).`);
		const page = (await response.json()) as Page;
		next = page.nextCursor;
		more.hidden = next === null;
		return page.notes.map(({ text }) => {
			const item = document.createElement("li");
			item.textContent = text;
			return item;
		});
	}

	function form(): HTMLFormElement {
		const form = document.createElement("form");
		const label = document.createElement("label");
		const text = document.createElement("input");
		text.required = true;
		text.maxLength = 500;
		label.append("New note ", text);
		const button = document.createElement("button");
		button.textContent = "Add";
		form.append(label, " ", button);
		form.addEventListener("submit", (event) => {
			event.preventDefault();
			void add(text);
		});
		return form;
	}

	async function add(text: HTMLInputElement): Promise<void> {
		const body = JSON.stringify({ text: text.value });
		const response = await context.api("/notes", {
			method: "POST", headers: { "Content-Type": "application/json" }, body,
		});
		if (!response.ok) {
			context.announce("The note was not saved.", "assertive");
			return;
		}
		text.value = "";
		await showNewest();
		context.announce("Saved.");
	}
}

export default defineModuleUi({ mount });
