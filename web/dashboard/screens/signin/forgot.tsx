import { Button } from "../../../kit/button";
import type { App } from "../../app/app";
import { Heading } from "../../shell/heading";
import { t } from "../../words/words";
import { LinkRequest } from "./linkrequest";

/** Asks for a link to choose a new password. */
export function Forgot({ app, back }: { readonly app: App; back(): void }) {
	return (
		<>
			<Heading title={t("forgotTitle")} />
			<p class="muted">{t("forgotHelp")}</p>
			<LinkRequest app={app} purpose="reset-password" label={t("sendLink")} />
			<Button kind="text" wide onPress={back}>
				{t("backToSignIn")}
			</Button>
		</>
	);
}
