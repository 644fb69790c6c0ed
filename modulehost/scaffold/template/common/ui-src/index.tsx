import { CollectionScreen } from "@narthex/kit";
import { defineModuleUi, type ModuleUiContext } from "@narthex/sdk";
import { render } from "preact";

const words = {
	en: { title: "Notes", add: "New note", empty: "There are no notes yet", fields: { text: "Note" } },
	de: { title: "Notizen", add: "Neue Notiz", empty: "Es gibt noch keine Notizen", fields: { text: "Notiz" } },
};

/** The notes. Who may write them gets the form and the buttons, too: only hints, the server decides. */
function mount(container: HTMLElement, context: ModuleUiContext): () => void {
	render(
		<CollectionScreen
			context={context}
			path="/notes"
			write={`${context.module.id}.write`}
			channel="notes"
			inline
			search
			fields={{ text: { type: "lines", max: 500 } }}
			words={words}
		/>,
		container,
	);
	return () => render(null, container);
}

export default defineModuleUi({ mount });
