import { Button, CollectionScreen } from "@narthex/kit";
import type { Tools } from "./tools";

const words = {
	en: {
		title: "Rooms",
		add: "New room",
		empty: "There are no rooms yet.",
		emptyHelp: "What is booked with an event is here: a hall, a church, a minibus.",
		fields: { name: "Name" },
		refusals: {
			ROOM_NAME_TAKEN: "There is a room of that name.",
			ROOM_IN_USE: "Events need this room. Give them another one first.",
		},
	},
	de: {
		title: "Räume",
		add: "Neuer Raum",
		empty: "Es gibt noch keine Räume.",
		emptyHelp: "Hier steht, was mit einem Termin gebucht wird: ein Saal, eine Kirche, ein Kleinbus.",
		fields: { name: "Name" },
		refusals: {
			ROOM_NAME_TAKEN: "Einen Raum mit diesem Namen gibt es schon.",
			ROOM_IN_USE: "Termine brauchen diesen Raum. Geben Sie ihnen zuerst einen anderen.",
		},
	},
};

/** The rooms that can be booked. */
export const Rooms = ({ tools: { context, say } }: { readonly tools: Tools }) => (
	<CollectionScreen
		{...{ context, words, path: "/rooms", write: "calendar.events.manage", channel: "events", at: "rooms" }}
		inline
		whole
		fields={{ name: { type: "text", max: 60 } }}
		buttons={<Button onPress={() => context.navigate("")}>{say("toCalendar")}</Button>}
	/>
);
