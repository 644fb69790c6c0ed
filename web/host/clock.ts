/**
 * The server's time. It ticks by the browser's monotonic clock, so that setting the wall clock moves nothing.
 * Until the server has told its time, the browser's is used.
 */
export class ServerClock {
	/** Server's time less the monotonic clock's, milliseconds. */
	#offset: number | undefined;

	now(): number {
		return this.#offset === undefined ? Date.now() : performance.now() + this.#offset;
	}

	/** Whether the server has told its time. */
	get known(): boolean {
		return this.#offset !== undefined;
	}

	/**
	 * Takes a time that the server has just sent. The way here only makes it older, so the youngest so far is
	 * the best; one that is seconds older means that a clock was set or that this machine slept.
	 */
	observe(serverTime: string): void {
		const told = Date.parse(serverTime);
		if (Number.isNaN(told)) return;
		const offset = told - performance.now();
		if (this.#offset === undefined || offset > this.#offset || offset < this.#offset - 5_000)
			this.#offset = offset;
	}
}
