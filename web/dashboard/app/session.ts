import { signal } from "@preact/signals";
import type { Platform } from "../data/platform";
import type { Failure } from "../data/request";

/** Who is signed in, as far as it is known. */
export type Who =
	| { readonly is: "starting" }
	| { readonly is: "failed"; readonly failure: Failure; readonly at: Date }
	| { readonly is: "anonymous" }
	| { readonly is: "person"; readonly userId: string };

/**
 * The session as this page knows it. Only the server's response "anonymous" signs a person out. A failure (no
 * network, a 5xx, a malformed response) changes nothing for a signed-in person.
 */
export class Session {
	readonly who = signal<Who>({ is: "starting" });
	readonly #platform: Platform;
	readonly #others: BroadcastChannel | undefined;
	#asking: Promise<Failure | undefined> | undefined;

	/** left is called after the person has signed out, here or in another tab. */
	constructor(
		platform: Platform,
		readonly left: () => void,
	) {
		this.#platform = platform;
		this.#others = channel("narthex-session");
		this.#others?.addEventListener("message", (event) => {
			void this.askAgain().then(() => event.data === "left" && this.left());
		});
	}

	/**
	 * Requests the principal. It returns the failure, if there is one. Concurrent callers share one request.
	 */
	recheck(): Promise<Failure | undefined> {
		this.#asking ??= this.#ask().finally(() => (this.#asking = undefined));
		return this.#asking;
	}

	/**
	 * Requests the principal even if a request is in progress: somebody has signed in or out since that was
	 * sent, here or in another tab, and its response may say who was there before.
	 */
	async askAgain(): Promise<Failure | undefined> {
		await this.#asking;
		return this.recheck();
	}

	async #ask(): Promise<Failure | undefined> {
		const answer = await this.#platform.principal();
		const before = this.who.peek();
		if (answer.ok) {
			const { value } = answer;
			if (value.kind === "anonymous") this.#ended();
			else if (before.is !== "person" || before.userId !== value.userId)
				this.who.value = { is: "person", userId: value.userId };
			return undefined;
		}
		if (answer.status === 401) this.#ended();
		else if (before.is === "starting" || before.is === "failed") this.#fail(answer);
		return answer;
	}

	#fail(failure: Failure): void {
		this.who.value = { is: "failed", failure, at: new Date() };
	}

	/** Requests the principal after a sign-in. If that fails, the failure is shown and not the sign-in form. */
	async arrived(): Promise<void> {
		const failure = await this.askAgain();
		if (failure) this.#fail(failure);
		if (this.who.peek().is === "person") this.#others?.postMessage("arrived");
	}

	/** The server has responded that nobody is signed in. */
	#ended(): void {
		this.who.value = { is: "anonymous" };
	}

	/**
	 * Signs out, here or on every device. It returns the failure if the server did not confirm. After the
	 * confirmation nothing of the person is shown, even if the next request fails.
	 */
	async leave(everywhere: boolean): Promise<Failure | undefined> {
		const platform = this.#platform;
		const answer = await (everywhere ? platform.signOutEverywhere() : platform.signOut());
		if (!answer.ok && answer.status !== 401) return answer;
		const unknown = await this.askAgain();
		if (unknown) this.#fail(unknown);
		this.left();
		this.#others?.postMessage("left");
		return undefined;
	}
}

/** A channel to this browser's other pages. There is none where a browser blocks cookies and storage. */
function channel(name: string): BroadcastChannel | undefined {
	try {
		return new BroadcastChannel(name);
	} catch {
		return undefined;
	}
}
