import { ArtifactError } from "../host/artifact";
import { backoff, wait } from "../host/wait";
import type { Connection } from "./connection";
import type { House } from "./house";
import type { KeptPage } from "./keptpage";
import { Pairer } from "./pairing";
import { type Descriptor, type DisplayPlatform, nameIn } from "./platform";
import { Reloads } from "./reloads";
import { moduleName, screen, show } from "./screen";
import { BrokenContent, MountTimeout, NoSnapshot, type Stage } from "./stage";
import { language } from "./words";

const lookEvery = 60_000; // milliseconds between two requests for the descriptor while all is well
const lookAgain = 60_000; // while the display does not run
const lookSignedIn = 5_000; // somebody may sign out in another tab
const firstRemount = 5_000;
const laterRemounts = 30_000;
const refusedFor = 300_000;
const mountTries = 3;
const pairedFor = 8_000; // how long the label of a new screen is shown
const leaveOnFor = 5_000; // how long the request to leave it on is then shown, before the reload
const calmAfter = 600_000; // without an error, after which a module counts as working again

/** Controls one screen: it requests the descriptor again and again, and shows what it names. */
export class Life {
	readonly #forever = new AbortController().signal;
	readonly #wakeUps = new EventTarget();
	#silentTries = 0;
	#wasMounted = false;
	/** The number of errors ever thrown here. */
	#errors = 0;
	/**
	 * How often the module has thrown since it last worked, and whether it must be mounted again because of
	 * that.
	 */
	#crashes = 0;
	#crashedAt = 0;
	#mustRemount = false;
	#failedMounts = 0;
	#failedArtifact = "";

	constructor(
		readonly platform: DisplayPlatform,
		readonly stage: Stage,
		readonly connection: Connection,
		readonly kept: KeptPage,
		readonly reloads: Reloads,
		readonly house: House,
	) {}

	/** Requests the descriptor at once. */
	requestNow(): void {
		this.#wakeUps.dispatchEvent(new Event("now"));
	}

	/** The module has thrown. Its last frame stays, and it is mounted again after a while. */
	crashed(): void {
		this.#errors++;
		if (this.stage.shown === undefined || this.#mustRemount) return;
		const now = performance.now();
		if (now - this.#crashedAt > calmAfter) this.#crashes = 0;
		this.#crashedAt = now;
		this.#crashes++;
		this.#mustRemount = true;
		this.connection.broken(true);
		this.requestNow();
	}

	async run(): Promise<never> {
		for (;;) {
			const [found] = await Promise.all([this.platform.resolve(), this.house.known()]);
			this.connection.reached(found.is === "descriptor");
			if (found.is === "unreachable") {
				await this.#unreachable(found.answered);
				continue;
			}
			this.#silentTries = 0;
			switch (found.is) {
				case "descriptor":
					moduleName.value = nameIn(language.value.lang, found.descriptor);
					await this.#wait(await this.#present(found.descriptor));
					break;
				case "denied":
					if (found.status === 403 && (await this.platform.personIsHere())) await this.#signedIn();
					else await this.#pair(found.status === 401 && this.#wasMounted);
					break;
				case "absent":
					this.#leave();
					show({ is: "unavailable" });
					await this.#wait(lookAgain);
					break;
			}
		}
	}

	#wait(milliseconds: number): Promise<void> {
		return wait(milliseconds, this.#forever, [this.#wakeUps, "now"], [window, "online"]);
	}

	/** Mounts what the descriptor names, and returns after how many milliseconds to request it again. */
	async #present(descriptor: Descriptor): Promise<number> {
		if (this.#mustRemount) await this.#wait(this.#crashes === 1 ? firstRemount : laterRemounts);
		else if (this.stage.shows(descriptor)) return lookEvery * (0.9 + Math.random() / 5);
		const remounts = this.#mustRemount;
		const before = this.#errors;
		this.#mustRemount = false;
		if (this.#failedArtifact !== descriptor.artifactUrl) this.#failedMounts = 0;
		try {
			await this.stage.present(descriptor, () => this.#errors === before);
		} catch (error) {
			console.error("The display could not be mounted:", error);
			if (remounts) {
				this.#crashes++;
				this.#mustRemount = true; // the last frame stays, and the next attempt comes later
				return 0;
			}
			return this.#failed(descriptor, error);
		}
		this.#failedMounts = 0;
		this.#wasMounted = true;
		this.connection.broken(false);
		this.kept.keep(descriptor);
		show({ is: "mounted" });
		return lookEvery;
	}

	/** Handles a display that could not be mounted. What was shown before stays. */
	#failed(descriptor: Descriptor, error: unknown): number {
		if (error instanceof NoSnapshot) {
			if (this.stage.shown === undefined) show({ is: "empty" });
			return firstRemount;
		}
		const code = codeOf(error);
		if (code === "NOT_FOUND") return firstRemount; // another version runs by now
		if (code === "ARTIFACT_UNAVAILABLE" && !(error as ArtifactError).cause) {
			if (this.stage.shown === undefined) show({ is: "offline" });
			return firstRemount;
		}
		if (this.stage.shown !== undefined) this.connection.broken(true);
		this.#failedArtifact = descriptor.artifactUrl;
		this.#failedMounts++;
		const final = code === "MODULE_UI_ABI_INCOMPATIBLE" || this.#failedMounts >= mountTries;
		if (!final) return this.#failedMounts === 1 ? firstRemount : laterRemounts;
		if (this.stage.shown === undefined) show({ is: "refused", code });
		if (error instanceof ArtifactError && error.exhausted) this.reloads.afterRefusal();
		// The next snapshot may be one that the module can show.
		const content = error instanceof BrokenContent || this.stage.shown !== undefined;
		return content ? laterRemounts : refusedFor;
	}

	async #unreachable(answered: boolean): Promise<void> {
		if (this.stage.shown === undefined && screen.peek().is !== "unpaired") show({ is: "offline" });
		const tries = this.#silentTries++;
		// If other requests to the server succeed but this one never does, the page's own connections may be
		// stuck.
		if (!answered && this.#silentTries >= 10 && (await this.platform.alive())) this.reloads.whenStuck();
		await this.#wait(backoff(tries, 1_000, 30_000));
	}

	/** Asks for no pairing, and looks again when they have signed out. */
	async #signedIn(): Promise<void> {
		this.#leave();
		if (screen.peek().is !== "signed-in") show({ is: "signed-in", failed: false });
		await this.#wait(lookSignedIn);
	}

	/** The button of that screen was used. */
	async signOut(): Promise<void> {
		const done = await this.platform.signOut();
		show({ is: "signed-in", failed: !done });
		if (done) this.requestNow();
	}

	async #pair(removed: boolean): Promise<void> {
		this.#leave();
		if (screen.peek().is === "mounted") show({ is: "booting" });
		const ending = await new Pairer(this.platform, removed).run();
		if (ending.is === "look-again") return;
		show({ is: "approved", label: ending.label, lines: "paired" });
		await wait(pairedFor, this.#forever);
		show({ is: "approved", label: ending.label, lines: "leave-on" });
		await wait(leaveOnFor, this.#forever);
		this.reloads.afterPairing();
		await new Promise(() => undefined); // the page is being reloaded
	}

	#leave(): void {
		this.stage.clear();
		this.#mustRemount = false;
	}
}

function codeOf(error: unknown): string {
	if (error instanceof ArtifactError) return error.code;
	return error instanceof MountTimeout ? "MODULE_UI_TIMEOUT" : "MODULE_UI_FAILED";
}
