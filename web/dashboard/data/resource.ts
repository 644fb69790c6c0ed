import { signal } from "@preact/signals";
import type { Result, Failure } from "./request";

/** A request that failed, and when. */
export interface Failed {
	readonly failure: Failure;
	readonly at: Date;
}

/** What is done about a failure, whichever resource it is of. */
export type Policy = (failure: Failure) => Promise<void> | void;

/**
 * Something the server has, as this page last read it. It is read at the first load; what was read
 * stays while it is read again, and when that fails.
 */
export class Resource<Value> {
	readonly value = signal<Value | undefined>(undefined);
	/** Why the last reading failed; none after one that did not. */
	readonly failed = signal<Failed | undefined>(undefined);
	readonly #read: () => Promise<Result<Value>>;
	readonly #policy: Policy;
	#loading: Promise<Result<Value>> | undefined;
	#age = 0;

	constructor(read: () => Promise<Result<Value>>, policy: Policy) {
		this.#read = read;
		this.#policy = policy;
	}

	/** Whether somebody has asked for it since it was cleared: only then is it read again by itself. */
	get used(): boolean {
		return this.value.peek() !== undefined || this.failed.peek() !== undefined;
	}

	/** Reads it. Callers who come meanwhile share one request. */
	load(): Promise<Result<Value>> {
		this.#loading ??= this.#load(this.#age).finally(() => (this.#loading = undefined));
		return this.#loading;
	}

	/** Takes what a write answered. A reading under way may be older, and is not waited for. */
	take(value: Value): void {
		this.#age++;
		this.#loading = undefined;
		this.value.value = value;
		this.failed.value = undefined;
	}

	/** Forgets it: another person is here. */
	clear(): void {
		this.#age++;
		this.#loading = undefined;
		this.value.value = undefined;
		this.failed.value = undefined;
	}

	async #load(age: number): Promise<Result<Value>> {
		const answer = await this.#read();
		if (!answer.ok) await this.#policy(answer);
		if (age !== this.#age) return answer; // it was cleared meanwhile
		if (answer.ok) this.value.value = answer.value;
		this.failed.value = answer.ok ? undefined : { failure: answer, at: new Date() };
		return answer;
	}
}
