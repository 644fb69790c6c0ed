import { CollectionScreen } from "@narthex/kit";
import { defineModuleUi } from "@narthex/sdk";
import { render } from "preact";

const words = {
	en: {
		title: "Books",
		add: "New book",
		empty: "No books yet",
		fields: {
			title: "Title",
			blurb: "Blurb",
			pages: "Pages",
			bought: "Bought",
			shelf: { label: "Shelf", options: { hall: "In the hall", office: "In the office" } },
			lent: "Lent",
			tags: "Subjects",
		},
		refusals: { BOOK_TITLE_TAKEN: "There is a book of that title." },
	},
	de: {
		title: "Bücher",
		add: "Neues Buch",
		empty: "Noch keine Bücher",
		fields: {
			title: "Titel",
			blurb: "Klappentext",
			pages: "Seiten",
			bought: "Gekauft",
			shelf: { label: "Regal", options: { hall: "Im Saal", office: "Im Büro" } },
			lent: "Verliehen",
			tags: "Themen",
		},
		refusals: { BOOK_TITLE_TAKEN: "Ein Buch mit diesem Titel gibt es schon." },
	},
};

export default defineModuleUi({
	mount(container, context) {
		render(
			<CollectionScreen
				{...{ context, words, path: "/books", write: "library.write", channel: "books", transfer: "both" }}
				search
				ordered
				fields={{
					title: { type: "text", max: 60 },
					blurb: { type: "lines", optional: true },
					pages: { type: "number", optional: true, min: 1 }, // the server has another limit, too
					bought: { type: "date", optional: true },
					shelf: { type: "choice", of: ["hall", "office"] },
					lent: { type: "switch" },
					tags: { type: "tags", optional: true },
				}}
			/>,
			container,
		);
		return () => render(null, container);
	},
});
