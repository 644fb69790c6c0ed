import { batch, computed, signal } from "@preact/signals";
import { ServerClock } from "../../host/clock";
import { Questions } from "../../kit/dialog";
import { type ToastAction, Toasts } from "../../kit/toast";
import { dropBegun } from "../data/begun";
import { Data } from "../data/data";
import type { NavigationEntry, NavigationView, Platform } from "../data/platform";
import type { Failure } from "../data/request";
import { screens } from "../screens/table";
import { t } from "../words/words";
import { DraftStore } from "./drafts";
import { house } from "./house";
import { forgetModule } from "./lastmodule";
import type { Link } from "./link";
import { NewVersion } from "./newversion";
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

/** The whole page: who is here, where they are, and what they may open. */
export class App {
	readonly toasts = new Toasts();
	readonly questions = new Questions();
	readonly router = new Router(screens, () =>
		this.questions.ask({
			title: t("leaveTitle"),
			body: [t("leaveHelp")],
			yes: t("leave"),
			no: t("stay"),
			danger: true,
		}),
	);
	readonly drafts = new DraftStore();
	readonly clock = new ServerClock();
	readonly newVersion = new NewVersion();
	readonly session: Session;
	readonly data: Data;
	readonly navigation = computed<NavigationState>(() => {
		const view = this.data.navigation.value.value;
		const failed = this.data.navigation.failed.value;
		if (failed?.failure.status === 403) return { is: "forbidden", permission: readUi };
		if (view !== undefined) return { is: "ready", view };
		return failed === undefined ? { is: "loading" } : { is: "failed", ...failed };
	});
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
		this.data = new Data(platform, async ({ status }) => {
			if (status === 401) this.session.ended();
			if (status === 403) await this.session.recheck();
		});
	}

	async start(): Promise<void> {
		this.router.start();
		this.newVersion.watch();
		this.data.watch();
		this.data.house.value.subscribe((value) => {
			if (value) house.value = value;
		});
		this.session.who.subscribe((who) => {
			if (who.is === "person" || who.is === "anonymous") this.#askForHouse();
			if (who.is !== "person") return;
			this.drafts.belongTo(who.userId);
			this.data.clear();
			void this.data.navigation.load();
			void this.data.account.load();
		});
		this.session.who.subscribe(({ is }) => is !== "starting" && dropBegun());
		await this.session.recheck();
	}

	/** Says something to everybody: in a toast, and to people who do not see the screen. */
	announce(text: string, level: "polite" | "assertive" = "polite", action?: ToastAction): void {
		this.toasts.show({ text, level, action });
	}

	/** Signs out, once unsaved work may go. */
	signOut(): void {
		this.router.whenFree(() => {
			void this.#signOut(false);
		});
	}

	/** Signs out on every device. The caller has asked for confirmation. */
	signOutEverywhere(): Promise<void> {
		return this.#signOut(true);
	}

	async #signOut(everywhere: boolean): Promise<void> {
		const failure = await this.session.leave(everywhere);
		if (!failure) return;
		const again = { label: t("tryAgain"), run: () => void this.#signOut(everywhere) };
		this.announce(t("stillSignedIn"), "assertive", again);
	}

	/** The entry of a module in the navigation as it is known now. */
	entry(moduleId: string): NavigationEntry | undefined {
		const navigation = this.navigation.value;
		if (navigation.is !== "ready") return undefined;
		return entriesOf(navigation.view).find((entry) => entry.moduleId === moduleId);
	}

	/** Asks whose house it is, once: nothing is asked before it is known who is here. */
	#askForHouse(): void {
		if (!this.data.house.used) void this.data.house.load();
	}

	#leave(): void {
		batch(() => {
			forgetModule();
			this.questions.withdraw();
			this.toasts.close();
			this.drafts.clear();
			this.data.clear();
			this.router.reset();
			this.link.value = undefined;
			this.email.value = "";
		});
	}
}

/** The module that puts its own things on Home, and is listed nowhere else. */
export const homeModule = "home";

/** The modules that people go to, in the order in which they are shown. */
export const doorsOf = (view: NavigationView): NavigationEntry[] =>
	entriesOf(view).filter(({ moduleId }) => moduleId !== homeModule);

/** All entries in the order in which they are shown. */
export function entriesOf(view: NavigationView): NavigationEntry[] {
	return [...view.groups.flatMap((group) => group.modules), ...view.ungrouped];
}
