import { batch, signal } from "@preact/signals";
import { ServerClock } from "../../host/clock";
import { Questions } from "../../kit/dialog";
import { type ToastAction, Toasts } from "../../kit/toast";
import type { NavigationEntry, NavigationView, Platform } from "../data/platform";
import type { Failure } from "../data/request";
import { t } from "../words/words";
import { DraftStore } from "./drafts";
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
	readonly router = new Router(() =>
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
	readonly navigation = signal<NavigationState>({ is: "loading" });
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
		this.newVersion.watch();
		this.session.who.subscribe((who) => {
			if (who.is !== "person") return;
			this.drafts.belongTo(who.userId);
			this.navigation.value = { is: "loading" };
			void this.loadNavigation();
		});
		await this.session.recheck();
	}

	/** Says something to everybody: in a toast, and to people who do not see the screen. */
	announce(text: string, level: "polite" | "assertive" = "polite", action?: ToastAction): void {
		this.toasts.show({ text, level, action });
	}

	/** Signs out, once unsaved work may go. */
	signOut(): void {
		this.router.whenFree(() => {
			void this.session.leave().then((failure) => {
				if (failure)
					this.announce(t("stillSignedIn"), "assertive", { label: t("tryAgain"), run: () => this.signOut() });
			});
		});
	}

	/** Reads the navigation. What was there stays while it is read again, and when that fails. */
	async loadNavigation(): Promise<void> {
		const result = await this.platform.navigation();
		if (result.ok) {
			this.navigation.value = { is: "ready", view: result.value };
			return;
		}
		if (result.status === 401) this.session.ended();
		if (result.status === 403) await this.session.recheck();
		if (this.session.who.peek().is !== "person") return;
		if (result.status === 403) this.navigation.value = { is: "forbidden", permission: readUi };
		else if (this.navigation.peek().is !== "ready") {
			this.navigation.value = { is: "failed", failure: result, at: new Date() };
		}
	}

	/** The entry of a module in the navigation as it is known now. */
	entry(moduleId: string): NavigationEntry | undefined {
		const navigation = this.navigation.value;
		if (navigation.is !== "ready") return undefined;
		return entriesOf(navigation.view).find((entry) => entry.moduleId === moduleId);
	}

	#leave(): void {
		batch(() => {
			this.questions.withdraw();
			this.toasts.close();
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
