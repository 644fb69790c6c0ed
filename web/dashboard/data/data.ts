import { readLifecycle } from "./lifecycle";
import type { Platform } from "./platform";
import type { Result } from "./request";
import { type Policy, Resource } from "./resource";

/** How long data count as fresh when the person returns to the page, in milliseconds. */
const fresh = 10_000;

/** Everything that the Dashboard reads from the platform, each resource once. */
export class Data {
	/** The house, which is the same for everybody. */
	readonly house;
	/** The account of the signed-in person. */
	readonly account;
	readonly navigation;
	readonly lifecycle;
	readonly configurations;
	/** When the person last did something that changes what is shown. */
	acted = -Infinity;
	readonly #policy: Policy;
	#seen = performance.now();

	/** policy is called for every failure. */
	constructor(platform: Platform, policy: Policy) {
		this.#policy = policy;
		this.house = new Resource(() => platform.house(), policy);
		this.account = new Resource(() => platform.account(), policy);
		this.navigation = new Resource(() => platform.navigation(), policy);
		this.lifecycle = new Resource(() => readLifecycle(platform), policy);
		this.configurations = new Resource(() => platform.configurations(), policy);
	}

	/**
	 * From now on, the data that are shown are read again when the person returns to the page, because other
	 * people write, too, and when the network is back.
	 */
	watch(): void {
		document.addEventListener("visibilitychange", () => {
			if (document.visibilityState === "visible" && performance.now() - this.#seen >= fresh) this.#readAgain();
		});
		addEventListener("online", () => this.#readAgain());
	}

	#readAgain(): void {
		this.#seen = performance.now();
		for (const resource of [this.house, ...this.#personal()]) if (resource.used) void resource.load();
	}

	/** A resource that one screen reads while it is open. */
	resource<Value>(read: () => Promise<Result<Value>>): Resource<Value> {
		return new Resource(read, this.#policy);
	}

	/** Performs a write, and reads the resources that it has changed. */
	async write<Value>(
		write: Promise<Result<Value>>,
		...changed: readonly Resource<unknown>[]
	): Promise<Result<Value>> {
		const answer = await write;
		this.acted = performance.now();
		await Promise.all(changed.map((resource) => resource.load()));
		return answer;
	}

	/** Drops all data of the person. */
	clear(): void {
		for (const resource of this.#personal()) resource.clear();
	}

	#personal(): readonly Resource<unknown>[] {
		return [this.account, this.navigation, this.lifecycle, this.configurations];
	}
}
