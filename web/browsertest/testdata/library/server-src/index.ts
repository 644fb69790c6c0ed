import { defineModule } from "@narthex/server";

export default defineModule((m) => {
	m.collection({
		path: "/books", read: "library.read", write: "library.write", channel: "books", ordered: true,
		fields: {
			title: "text, 1..60, key, search", blurb: "text, lines, optional", pages: "integer?, 1..5000",
			bought: "text?, date", shelf: "text, oneof=hall|office", lent: "boolean", tags: "texts, 0..3",
		},
	});
});
