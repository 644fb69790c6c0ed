import { useSignal } from "@preact/signals";
import { Confirm } from "../../kit/dialog";
import { Skeleton } from "../../kit/layout";
import { ToastRegion } from "../../kit/toast";
import type { App } from "../app/app";
import { lastFrame } from "../app/lastvisit";
import { ChoosePassword } from "../screens/signin/choosepassword";
import { ConfirmEmail } from "../screens/signin/confirmemail";
import { Entrance } from "../screens/signin/entrance";
import { Forgot } from "../screens/signin/forgot";
import { Join } from "../screens/signin/join";
import { SignIn } from "../screens/signin/signin";
import { t } from "../words/words";
import { ReachNotice } from "./reachnotice";
import { Shell } from "./shell";
import { ErrorPage } from "./errorpage";

const linkScreens = {
	"verify-email": ConfirmEmail,
	"reset-password": ChoosePassword,
	"accept-invitation": Join,
} as const;

/** The whole page: first the screen of an emailed link, otherwise the sign-in form or the shell. */
export function Page({ app }: { readonly app: App }) {
	return (
		<>
			<Screen app={app} />
			<ReachNotice app={app} />
			<ToastRegion toasts={app.toasts} />
			<Confirm questions={app.questions} />
		</>
	);
}

function Screen({ app }: { readonly app: App }) {
	const forgot = useSignal(false);
	const who = app.session.who.value;
	const link = app.link.value;
	if (who.is === "starting") {
		if (lastFrame() && !link) return <Shell app={app} empty />;
		return (
			<Entrance>
				<Skeleton />
			</Entrance>
		);
	}
	if (who.is === "failed") {
		return (
			<Entrance>
				<ErrorPage
					words={who.failure.status >= 500 ? t("whoUnknown") : undefined}
					failure={who.failure}
					at={who.at}
					retry={() => app.session.recheck()}
				/>
			</Entrance>
		);
	}
	if (link) {
		const LinkScreen = linkScreens[link.purpose];
		return (
			<Entrance>
				<LinkScreen
					app={app}
					token={link.token}
					signedIn={who.is === "person"}
					finish={() => (app.link.value = undefined)}
				/>
			</Entrance>
		);
	}
	if (who.is === "person") return <Shell key={who.userId} app={app} />;
	return (
		<Entrance>
			{forgot.value ? (
				<Forgot app={app} back={() => (forgot.value = false)} />
			) : (
				<SignIn app={app} forgot={() => (forgot.value = true)} />
			)}
		</Entrance>
	);
}
