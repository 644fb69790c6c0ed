/**
 * The server's time. It follows the browser's monotonic clock, so changing the wall clock has no effect.
 * Before the first message of the server it is the browser's own time.
 */
export class ServerClock {
	/** The server's time minus the monotonic clock, in milliseconds. */
	#offset: number | undefined;

	now(): number {
		return this.#offset === undefined ? Date.now() : performance.now() + this.#offset;
	}

	/** Whether the server has sent its time. */
	get known(): boolean {
		return this.#offset !== undefined;
	}

	/**
	 * Uses a time that the server has just sent. Every message is delayed on its way, so the largest offset
	 * is the most exact one. An offset that is smaller than a delay explains means that a clock was changed or
	 * that this machine slept. delay is the longest one in milliseconds.
	 */
	observe(serverTime: string, delay = 5_000): void {
		const told = Date.parse(serverTime);
		if (Number.isNaN(told)) return;
		const offset = told - performance.now();
		if (this.#offset === undefined || offset > this.#offset || offset < this.#offset - delay)
			this.#offset = offset;
	}
}
