import { batch, signal } from "@preact/signals";
import { ServerClock } from "../../host/clock";
import { DraftStore } from "./drafts";
import type { Link } from "./link";
import type { NavigationEntry, NavigationView, Platform } from "../data/platform";
import type { Failure } from "../data/request";
import { Router } from "./router";
import { Session } from "./session";

/** The permission that the navigation is behind. */
const readUi = "core.modules.ui.read";

/** What the navigation is, as far as the server has said. */
export type NavigationState =
	| { readonly is: "loading" }
	| { readonly is: "failed"; readonly failure: Failure; readonly at: Date }
	| { readonly is: "forbidden"; readonly permission: string }
	| { readonly is: "ready"; readonly view: NavigationView };

/** What is said to those who do not see the screen. */
export interface Said {
	readonly text: string;
	readonly level: "polite" | "assertive";
}

/** The whole page: who is here, where they are, and what they may open. */
export class App {
	readonly router = new Router();
	readonly drafts = new DraftStore();
	readonly clock = new ServerClock();
	readonly session: Session;
	readonly navigation = signal<NavigationState>({ is: "loading" });
	readonly said = signal<Said | undefined>(undefined);
	/** The address typed on one of the signed-out screens, for the others. */
	readonly email = signal("");
	/** The emailed link that the page was opened with, until its screen is left. */
	readonly link;

	constructor(
		readonly platform: Platform,
		link: Link | undefined,
	) {
		this.link = signal(link);
		this.session = new Session(platform, () => this.#leave());
	}

	async start(): Promise<void> {
		this.router.start();
		this.session.who.subscribe((who) => {
			if (who.is !== "person") return;
			this.drafts.belongTo(who.userId);
			this.navigation.value = { is: "loading" };
			void this.loadNavigation();
		});
		await this.session.recheck();
	}

	announce(text: string, level: Said["level"] = "polite"): void {
		this.said.value = { text, level };
	}

	/** Reads the navigation. What was there stays while it is read anew, and when that fails. */
	async loadNavigation(): Promise<void> {
		const answer = await this.platform.navigation();
		if (answer.ok) {
			this.navigation.value = { is: "ready", view: answer.value };
			return;
		}
		if (answer.status === 401) this.session.ended();
		if (answer.status === 403) await this.session.recheck();
		if (this.session.who.peek().is !== "person") return;
		if (answer.status === 403) this.navigation.value = { is: "forbidden", permission: readUi };
		else if (this.navigation.peek().is !== "ready") this.navigation.value = { is: "failed", failure: answer, at: new Date() };
	}

	/** The entry of a module in the navigation as it is known now. */
	entry(moduleId: string): NavigationEntry | undefined {
		const navigation = this.navigation.value;
		return navigation.is === "ready" ? entriesOf(navigation.view).find((entry) => entry.moduleId === moduleId) : undefined;
	}

	#leave(): void {
		batch(() => {
			this.drafts.clear();
			this.router.reset();
			this.link.value = undefined;
			this.email.value = "";
		});
	}
}

/** All entries in the order in which they are shown. */
export function entriesOf(view: NavigationView): NavigationEntry[] {
	return [...view.groups.flatMap((group) => group.modules), ...view.ungrouped];
}
