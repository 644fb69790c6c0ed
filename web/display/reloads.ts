import { localTime } from "../kit/house";
import type { Connection } from "./connection";
import type { DisplayPlatform } from "./platform";
import { screen } from "./screen";
import { keep, kept } from "./storage";

const tab = "sessionStorage";
const stuckEvery = 600_000; // milliseconds between two reloads of a page that is stuck
const quiet = 60_000; // time without an update before a new host script is loaded
const lookEvery = 600_000; // between two checks for a new host script
const nightlyAge = 20 * 3_600_000;
const nightlyQuiet = 30 * 60_000;
const leaveOnFor = 50_000;

/** When the page is reloaded, and why. A reload shows nothing for a moment, so each reason has a limit. */
export class Reloads {
	readonly #born = performance.now();
	#lookedAt = performance.now();
	#newScript = false;

	constructor(
		readonly own: string | undefined, // hash of the running host script
		readonly platform: DisplayPlatform,
		readonly connection: Connection,
	) {
		if (kept(tab, "paired") !== "") connection.leaveOn(leaveOnFor);
		keep(tab, "paired", "");
		setInterval(() => void this.#look(), 30_000);
	}

	/**
	 * Reloads after a pairing, so that the new page uses the new credential; it still asks people to leave
	 * the screen on.
	 */
	afterPairing(): void {
		keep(tab, "paired", "1");
		location.reload();
	}

	/** The server responds to other clients, but not to this page. */
	whenStuck(): void {
		this.#once("stuck");
	}

	/** Only a new page can load this artifact. */
	afterRefusal(): void {
		this.#once("refused");
	}

	/** After an outage the server may have another host script. */
	lookSoon(): void {
		this.#lookedAt = -Infinity;
	}

	#once(why: string): void {
		const last = Number(kept(tab, why));
		if (Date.now() - last < stuckEvery && Date.now() >= last) return;
		keep(tab, why, String(Date.now()));
		location.reload();
	}

	async #look(): Promise<void> {
		if (screen.peek().is === "approved" || this.connection.lost) return;
		const now = performance.now();
		if (!this.#newScript && now - this.#lookedAt >= lookEvery) {
			this.#lookedAt = now;
			const served = await this.platform.hostScript();
			this.#newScript = served !== undefined && this.own !== undefined && served !== this.own;
		}
		const calm = performance.now() - this.connection.lastUpdate;
		if (this.#newScript && calm >= quiet) location.reload();
		if (now - this.#born < nightlyAge || calm < nightlyQuiet || !this.connection.clock.known) return;
		const hour = Number(localTime(this.connection.clock.now()).slice(11, 13));
		if (hour >= 3 && hour < 5) location.reload();
	}
}
