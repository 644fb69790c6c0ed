/** One event of a text/event-stream. */
export interface StreamEvent {
	readonly event: string;
	readonly data: string;
}

/**
 * Splits a text/event-stream into events. Text may arrive in any pieces; an event is returned as soon as its
 * empty line has arrived. Comments, ids and retry times are ignored.
 */
export class EventStreamParser {
	#rest = "";
	#event = "";
	#data: string[] = [];

	push(text: string): StreamEvent[] {
		const events: StreamEvent[] = [];
		const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
		this.#rest = lines.pop() ?? "";
		for (const line of lines) {
			if (line === "") {
				if (this.#data.length > 0)
					events.push({ event: this.#event || "message", data: this.#data.join("\n") });
				this.#event = "";
				this.#data = [];
				continue;
			}
			const colon = line.indexOf(":");
			const field = colon < 0 ? line : line.slice(0, colon);
			const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
			if (field === "event") this.#event = value;
			if (field === "data") this.#data.push(value);
		}
		return events;
	}
}
