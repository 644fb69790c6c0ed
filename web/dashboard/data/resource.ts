import { signal } from "@preact/signals";
import type { Result, Failure } from "./request";

/** The failure of a request, and when it occurred. */
export interface Failed {
	readonly failure: Failure;
	readonly at: Date;
}

/** Handles a failure of any resource. If the result is true, the resource is read again at once. */
export type Policy = (failure: Failure) => Promise<boolean> | boolean | void;

/**
 * Data of the server as this page last read them. They are read at the first load, and stay while they are
 * read again, even if that fails.
 */
export class Resource<Value> {
	readonly value = signal<Value | undefined>(undefined);
	/** Why the last read failed; undefined after a success. */
	readonly failed = signal<Failed | undefined>(undefined);
	readonly #read: () => Promise<Result<Value>>;
	readonly #policy: Policy;
	#loading: Promise<Result<Value>> | undefined;
	#age = 0;

	constructor(read: () => Promise<Result<Value>>, policy: Policy) {
		this.#read = read;
		this.#policy = policy;
	}

	/** Whether it was loaded since it was cleared: only then is it read again automatically. */
	get used(): boolean {
		return this.value.peek() !== undefined || this.failed.peek() !== undefined;
	}

	/** Reads it. Concurrent callers share one request. */
	load(): Promise<Result<Value>> {
		this.#loading ??= this.#load(this.#age).finally(() => (this.#loading = undefined));
		return this.#loading;
	}

	/** Stores the response to a write. A read in progress may be older, so its result is ignored. */
	take(value: Value): void {
		this.#age++;
		this.#loading = undefined;
		this.value.value = value;
		this.failed.value = undefined;
	}

	/** Drops the data, because another person may sign in. */
	clear(): void {
		this.#age++;
		this.#loading = undefined;
		this.value.value = undefined;
		this.failed.value = undefined;
	}

	async #load(age: number): Promise<Result<Value>> {
		let answer = await this.#read();
		if (!answer.ok && (await this.#policy(answer)) && age === this.#age) answer = await this.#read();
		if (age !== this.#age) return answer; // it was cleared meanwhile
		if (answer.ok) this.value.value = answer.value;
		this.failed.value = answer.ok ? undefined : { failure: answer, at: new Date() };
		return answer;
	}
}
