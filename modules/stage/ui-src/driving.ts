import type { Press, Refusal, Result, StageApi } from "./api";
import type { Control, ControlUpdate } from "./plan";
import type { Tools } from "./tools";

/** How often a press is sent again after its response was lost, and the pause in between, in milliseconds. */
const tries = 3;
const tryAfter = 1000;
/** How long a press may wait for those before it, in milliseconds; later nobody would expect it any more. */
const waitAtMost = 2000;

/** The state of driving that the page shows. */
export interface Driving {
	readonly control: Control | undefined;
	/** The id of the person at this page; unknown at first. */
	readonly you: string | undefined;
	/** The last press that has not been answered. */
	readonly pending: Press["action"] | "take" | undefined;
	readonly refused: Refusal | undefined;
}

/**
 * Drives a service: it follows the channel "control", and sends one press after the other. A press has its
 * own id, so it can be sent again when its response was lost.
 */
export class Driver {
	state: Driving = {
		...{ control: undefined, you: undefined, pending: undefined, refused: undefined },
	};
	readonly #api: StageApi;
	#stop: (() => void) | undefined;
	readonly #acknowledged = new Set<string>();
	/** The rev that the last press has led to; undefined if it was refused, or if nobody knows. */
	#before: Promise<number | undefined> | undefined;

	constructor(
		readonly tools: Tools,
		readonly service: string,
		readonly changed: (state: Driving) => void,
	) {
		this.#api = tools.api;
	}

	start(): void {
		this.#follow();
		void this.#meet();
	}

	stop(): void {
		this.#stop?.();
	}

	/** Requests the id of this person, and the current state. */
	async #meet(): Promise<void> {
		const result = await this.#api.live();
		if (this.tools.context.signal.aborted) return;
		if (!result.ok) return this.#become({ refused: result.why });
		const { you, ...control } = result.value;
		const known = this.state.control;
		this.#become({ you, refused: undefined, control: known ?? control });
	}

	retry(): void {
		void this.#meet();
	}

	/**
	 * Sends a press after those before it, as long as these are carried out quickly. It returns the reason of a
	 * refusal.
	 */
	async press(press: Press): Promise<Refusal | undefined> {
		const { control, pending } = this.state;
		if (control === undefined || pending === "take") return undefined;
		const before = this.#before;
		const sent = this.#inTurn(press, before, control.live.rev);
		const led = sent.then((result) => (typeof result === "string" ? undefined : result?.live.rev));
		this.#before = led;
		this.#become({ pending: press.action });
		const result = await sent;
		if (this.tools.context.signal.aborted) return undefined;
		if (this.#before === led) {
			this.#before = undefined;
			this.#acknowledged.clear();
			this.#become({ pending: undefined });
		}
		return typeof result === "string" ? result : undefined;
	}

	/** Returns the update that a press has led to, undefined if only the channel has confirmed it. */
	async #inTurn(
		press: Press,
		before: Promise<number | undefined> | undefined,
		seen: number,
	): Promise<ControlUpdate | Refusal | undefined> {
		const pressedAt = performance.now();
		const rev = before === undefined ? seen : await before;
		const { signal } = this.tools.context;
		if (rev === undefined || performance.now() - pressedAt > waitAtMost || signal.aborted) return "notSent";
		const opId = newId();
		const result = await this.#send(opId, () => this.#api.press(this.service, opId, rev, press));
		if (result === undefined || !result.ok) return result?.why;
		if (!signal.aborted) this.#take(result.value);
		return result.value;
	}

	/**
	 * Takes control, unless somebody else was faster. A press of the driver, whom the person sees, changes only
	 * the rev, so control is then asked for with the new one.
	 */
	async take(): Promise<Refusal | undefined> {
		const { control, pending } = this.state;
		if (control === undefined || pending !== undefined) return undefined;
		this.#become({ pending: "take" });
		let { rev } = control.live;
		for (let left = tries; ; left--) {
			const result = await this.#api.take(this.service, rev);
			if (result.ok || result.why !== "conflict" || left === 1) return this.#settled(result);
			const now = await this.#api.live();
			if (!now.ok) return this.#settled(now);
			const { driver, live } = now.value;
			if (driver !== control.driver || live.serviceId !== control.live.serviceId) return this.#settled(result);
			rev = live.rev;
		}
	}

	/** Returns undefined if the response was lost but the channel has confirmed the press. */
	async #send(
		opId: string,
		ask: () => Promise<Result<ControlUpdate>>,
	): Promise<Result<ControlUpdate> | undefined> {
		for (let left = tries; ; left--) {
			const result = await ask();
			const lost = !result.ok && ["offline", "failed", "busy"].includes(result.why);
			if (!lost) return result;
			if (this.#acknowledged.has(opId)) return undefined;
			if (left === 1) return result;
			await new Promise((resolve) => setTimeout(resolve, tryAfter));
		}
	}

	#settled(result: Result<ControlUpdate> | undefined): Refusal | undefined {
		if (this.tools.context.signal.aborted) return undefined;
		this.#acknowledged.clear();
		this.#become({ pending: undefined });
		if (result === undefined) return undefined;
		if (result.ok) this.#take(result.value);
		return result.ok ? undefined : result.why;
	}

	#follow(): void {
		this.#stop = this.tools.context.realtime<Control, ControlUpdate>("control", {
			snapshot: (control) => this.#become({ control, refused: undefined }),
			update: (update) => {
				if (update.ack !== null && this.state.pending !== undefined) this.#acknowledged.add(update.ack);
				this.#take(update);
			},
		});
	}

	/** Several processes publish, so an older state may arrive after a newer one. */
	#take(update: ControlUpdate): void {
		const { control } = this.state;
		if (control === undefined || update.live.rev < control.live.rev) return;
		const { live, driver, timer } = update;
		this.#become({ control: { ...control, live, driver, timer } });
		if (update.planChanged || live.serviceId !== (control.plan?.id ?? null)) this.#again();
	}

	/** Requests a snapshot, which contains the plan. */
	#again(): void {
		this.#stop?.();
		this.#follow();
	}

	#become(part: Partial<Driving>): void {
		this.state = { ...this.state, ...part };
		this.changed(this.state);
	}
}

/** crypto.randomUUID exists only on secure origins, but the platform can be tried without TLS first. */
function newId(): string {
	const bytes = crypto.getRandomValues(new Uint8Array(16));
	bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
	bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
	const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
	return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
