import { batch, computed, signal } from "@preact/signals";
import { Questions } from "../../kit/dialog";
import { type ToastAction, Toasts } from "../../kit/toast";
import { dropPreloaded } from "../data/preloaded";
import { Data } from "../data/data";
import type { NavigationEntry, NavigationView, Platform } from "../data/platform";
import type { Failure } from "../data/request";
import { t } from "../words/words";
import { type Address, administrationFor } from "./address";
import { DraftStore } from "./drafts";
import { house } from "./house";
import { forgetVisit, type Frame, keepFrame, lastFrame } from "./lastvisit";
import type { Link } from "./link";
import { NewVersion } from "./newversion";
import { Reach } from "./reach";
import { Router } from "./router";
import { Session } from "./session";

/** The permission that the navigation requires. */
const readUi = "core.modules.ui.read";

/** What is known about the navigation. */
export type NavigationState =
	| { readonly is: "loading" }
	| { readonly is: "failed"; readonly failure: Failure; readonly at: Date }
	| { readonly is: "forbidden"; readonly failure: Failure; readonly permission: string }
	| { readonly is: "ready"; readonly view: NavigationView };

/** The state of the whole page: who is signed in, which screen is shown, and what they may open. */
export class App {
	readonly toasts = new Toasts();
	readonly questions = new Questions();
	readonly router: Router;
	readonly drafts = new DraftStore((discard) => {
		if (this.session.who.peek().is !== "person") return () => undefined; // it is there after the sign-in
		return this.toasts.show({
			text: t("draftKept"),
			level: "polite",
			action: { label: t("discard"), run: discard },
		});
	});
	readonly clock;
	readonly newVersion = new NewVersion();
	readonly reach = new Reach(() => this.data.navigation.load());
	readonly session: Session;
	readonly data: Data;
	readonly navigation = computed<NavigationState>(() => {
		const view = this.data.navigation.value.value;
		const failed = this.data.navigation.failed.value;
		if (failed?.failure.status === 403) {
			return { is: "forbidden", failure: failed.failure, permission: readUi };
		}
		if (view !== undefined) return { is: "ready", view };
		return failed === undefined ? { is: "loading" } : { is: "failed", ...failed };
	});
	/** The frame of the page; until the navigation is known, that of the last visit. */
	readonly frame = computed<Frame>(() => {
		const navigation = this.navigation.value;
		if (navigation.is === "loading") return lastFrame() ?? "columns";
		if (navigation.is !== "ready") return "alone";
		const { view } = navigation;
		const screens = administrationFor(this.router.screens, view.permissions);
		return doorsOf(view).length > 0 || screens.length > 0 ? "columns" : "alone";
	});
	/** The address typed on one of the signed-out screens, for the other ones. */
	readonly email = signal("");
	/** The emailed link with which the page was opened, until its screen is left. */
	readonly link;

	constructor(
		readonly platform: Platform,
		link: Link | undefined,
		screens: readonly Address[],
	) {
		this.router = new Router(screens, () => this.#mayLose());
		this.link = signal(link);
		this.clock = platform.clock;
		this.session = new Session(platform, () => this.#leave());
		this.data = new Data(platform, async ({ status }) => {
			// A 401 may be older than a sign-in of another tab: only the principal tells that nobody is signed in.
			if (status === 401 && (await this.session.askAgain()) === undefined)
				return this.session.who.peek().is === "person";
			if (status === 403) await this.session.recheck();
			return false;
		});
	}

	async start(): Promise<void> {
		this.router.start();
		this.newVersion.watch();
		this.data.watch();
		addEventListener("beforeunload", (event) => {
			if (this.drafts.unsaved) event.preventDefault();
		});
		this.data.house.value.subscribe((value) => {
			if (value) house.value = value;
		});
		this.session.who.subscribe((who) => {
			if (who.is === "person" || who.is === "anonymous") this.#askForHouse();
			if (who.is === "anonymous") forgetVisit();
			if (who.is !== "person") return;
			this.drafts.belongTo(who.userId);
			this.data.clear();
			void this.data.navigation.load();
			void this.data.account.load();
		});
		this.session.who.subscribe(({ is }) => is !== "starting" && dropPreloaded());
		this.navigation.subscribe(({ is }) => is === "ready" && keepFrame(this.frame.peek()));
		this.router.opened.subscribe(() => this.questions.withdraw()); // it was about the place that was left
		await this.session.recheck();
	}

	/** Shows a message in a toast, which screen readers read, too. */
	announce(text: string, level: "polite" | "assertive" = "polite", action?: ToastAction): void {
		this.toasts.show({ text, level, action });
	}

	/** Signs out, after asking about unsaved work. */
	signOut(): void {
		this.router.whenFree(() => {
			void this.#signOut(false);
		}, this.drafts.unsaved);
	}

	/** Signs out on every device. The caller has asked for confirmation already. */
	signOutEverywhere(): Promise<void> {
		return this.#signOut(true);
	}

	/** Asks before unsaved work is lost. */
	async #mayLose(): Promise<boolean> {
		const leaves = await this.questions.ask({
			title: t("leaveTitle"),
			body: [t("leaveHelp")],
			yes: t("leave"),
			no: t("stay"),
			danger: true,
		});
		const route = this.router.route.peek();
		if (leaves && route.to === "module") this.drafts.forget(route.moduleId);
		return leaves;
	}

	async #signOut(everywhere: boolean): Promise<void> {
		const failure = await this.session.leave(everywhere);
		if (!failure) return;
		const again = { label: t("tryAgain"), run: () => void this.#signOut(everywhere) };
		this.announce(t("stillSignedIn"), "assertive", again);
	}

	/** A module's entry in the navigation, as far as it is known. */
	entry(moduleId: string): NavigationEntry | undefined {
		const navigation = this.navigation.value;
		if (navigation.is !== "ready") return undefined;
		return entriesOf(navigation.view).find((entry) => entry.moduleId === moduleId);
	}

	/** A module's name, as far as it is known, and else its id. */
	moduleName(moduleId: string): string {
		const { lifecycle, configurations } = this.data;
		return (
			this.entry(moduleId)?.name ??
			lifecycle.value.value?.modules.find(({ id }) => id === moduleId)?.name ??
			configurations.value.value?.modules.find((module) => module.moduleId === moduleId)?.name ??
			moduleId
		);
	}

	/** Loads the house, once. */
	#askForHouse(): void {
		if (!this.data.house.used) void this.data.house.load();
	}

	#leave(): void {
		batch(() => {
			forgetVisit();
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

/** The module whose content is part of Home, and which is listed nowhere else. */
export const homeModule = "home";

/** The modules that have an entry of their own, in the order shown. */
export const doorsOf = (view: NavigationView): NavigationEntry[] =>
	entriesOf(view).filter(({ moduleId }) => moduleId !== homeModule);

/** All entries in the order shown. */
export function entriesOf(view: NavigationView): NavigationEntry[] {
	return [...view.groups.flatMap((group) => group.modules), ...view.ungrouped];
}
