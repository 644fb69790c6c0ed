import type { App } from "../../app/app";
import { Heading } from "../../shell/heading";
import { LinkRequest } from "./linkrequest";
import { t } from "../../words/words";

/** W2. */
export function Forgot({ app, back }: { readonly app: App; back(): void }) {
	return (
		<form class="stack" noValidate onSubmit={(event) => event.preventDefault()}>
			<Heading title={t("forgotTitle")} />
			<p class="muted">{t("forgotHelp")}</p>
			<LinkRequest app={app} purpose="reset-password" label={t("sendLink")} />
			<button type="button" class="quiet wide" onClick={back}>
				{t("backToSignIn")}
			</button>
		</form>
	);
}
