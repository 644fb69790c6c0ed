import type { StreamEvent } from "./eventstream";
import { wait } from "./wait";

/**
 * The pages of one browser read a channel together, because a browser opens only six connections to one
 * origin over HTTP/1.1. One of them, the leader, has the connection, and passes on what it hears with a
 * BroadcastChannel. A Web Lock decides who leads: when the leader goes, the next page in the lock's queue
 * gets it and connects. A page that joins asks the leader to connect again, so it begins with a snapshot as
 * well, and with the rights of whoever is signed in now.
 *
 * A leader may be frozen and keep the lock. A page that gets no answer takes the lock from it.
 */

/** What a channel's leader passes on: an event of the stream, or that there is none at present. */
export type News = StreamEvent | { readonly state: "waiting" | "refused" };

/** The task of the page that has the connection. */
export interface Leading {
	/** Passes news to this page and to the others. */
	tell(news: News): void;
	/** Gets an event "join" when another page needs a snapshot. */
	readonly joins: EventTarget;
	/** This page cannot share: others that cannot either wait for its connection. */
	readonly alone: boolean;
	/** Aborted when this page does not lead any more. */
	readonly signal: AbortSignal;
}

export interface Sharing {
	/** Pages with the same name share. */
	readonly name: string;
	hear(news: News): void;
	/** Reads the channel until its signal aborts. */
	lead(leading: Leading): Promise<void>;
	/** Ends this page's part. */
	readonly signal: AbortSignal;
}

/** A page asks for a snapshot, or whether the leader is there; a leader answers both at once. */
type Message =
	| { readonly ask: "snapshot" | "answer" }
	/** number: of the connection. It increases from one to the next, also when another page leads. */
	| { readonly number: number; readonly news?: News };

/** How long the leader may be silent, and then not answer, before its lock is taken, in milliseconds. */
const quietFor = 5_000;
const answerLimit = 5_000;

/** Reads a channel until the signal aborts, with the browser's other pages if the browser can do that. */
export async function share(sharing: Sharing): Promise<void> {
	const channel = await shared(sharing.name);
	if (channel === undefined) {
		const { hear: tell, signal } = sharing;
		return sharing.lead({ tell, joins: new EventTarget(), alone: true, signal });
	}
	await new Member(sharing, channel).run();
	channel.close();
}

/** A channel to the other pages. There is none where cookies are blocked, or on plain HTTP, without locks. */
async function shared(name: string): Promise<BroadcastChannel | undefined> {
	try {
		await navigator.locks.query();
		return new BroadcastChannel(name);
	} catch {
		return undefined;
	}
}

class Member {
	/** The connection whose snapshot this page has. */
	#number = 0;
	#heardAt = performance.now();
	/** When this page asked for an answer that it still waits for. */
	#askedAt: number | undefined;
	#inQueue = new AbortController();
	#takes = false;
	/** While this page leads. */
	#leading: { readonly joins: EventTarget; readonly end: AbortController } | undefined;

	constructor(
		readonly sharing: Sharing,
		readonly channel: BroadcastChannel,
	) {}

	async run(): Promise<void> {
		const { signal } = this.sharing;
		const leave = () => {
			this.#inQueue.abort();
			this.#leading?.end.abort();
		};
		signal.addEventListener("abort", leave);
		this.channel.addEventListener("message", ({ data }: MessageEvent<Message>) => this.#receive(data));
		const watch = setInterval(() => this.#look(), 1_000);
		while (!signal.aborted) await this.#queue();
		clearInterval(watch);
		signal.removeEventListener("abort", leave);
	}

	/** Follows until the lock is this page's, then leads until it is another's. */
	async #queue(): Promise<void> {
		this.#inQueue = new AbortController();
		const options = this.#takes ? { steal: true } : { signal: this.#inQueue.signal };
		this.#takes = false;
		this.#ask("snapshot");
		try {
			await navigator.locks.request(this.sharing.name, options, () => this.#lead());
		} catch (error) {
			const usual = error instanceof DOMException && error.name === "AbortError"; // it left, or lost the lock
			if (!usual) await wait(answerLimit, this.sharing.signal);
		} finally {
			this.#leading?.end.abort();
			this.#leading = undefined;
		}
	}

	async #lead(): Promise<void> {
		const { sharing } = this;
		if (sharing.signal.aborted) return;
		const end = new AbortController();
		const joins = new EventTarget();
		this.#leading = { joins, end };
		this.#number = Math.max(Date.now(), this.#number + 1);
		this.#post({ number: this.#number });
		const tell = (news: News) => {
			if (end.signal.aborted) return;
			if ("event" in news && news.event === "snapshot") this.#number++;
			sharing.hear(news);
			this.#post({ number: this.#number, news });
		};
		await sharing.lead({ tell, joins, alone: false, signal: end.signal });
	}

	#post(message: Message): void {
		if (!this.sharing.signal.aborted) this.channel.postMessage(message);
	}

	#ask(ask: "snapshot" | "answer"): void {
		this.#askedAt = performance.now();
		this.#post({ ask });
	}

	#receive(message: Message): void {
		if (this.sharing.signal.aborted) return;
		if ("ask" in message) {
			if (this.#leading === undefined) return;
			this.#post({ number: this.#number });
			if (message.ask === "snapshot") this.#leading.joins.dispatchEvent(new Event("join"));
			return;
		}
		const { number, news } = message;
		if (this.#leading !== undefined || number < this.#number) return; // from a page that has lost the lock
		this.#heardAt = performance.now();
		this.#askedAt = undefined;
		if (news === undefined) return;
		if ("event" in news) {
			if (news.event === "snapshot") this.#number = number;
			if (number !== this.#number) return; // a page that has just joined waits for its snapshot
		}
		this.sharing.hear(news);
	}

	/** Takes the lock from a leader that does not answer. */
	#look(): void {
		if (this.#leading !== undefined) return;
		const now = performance.now();
		if (this.#askedAt === undefined) {
			if (now - this.#heardAt >= quietFor) this.#ask("answer");
		} else if (now - this.#askedAt >= answerLimit) {
			this.#takes = true;
			this.#inQueue.abort();
		}
	}
}
