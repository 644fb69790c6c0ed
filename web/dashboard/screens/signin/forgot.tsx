import { Button } from "../../../kit/button";
import type { App } from "../../app/app";
import { Heading } from "../../shell/heading";
import { w } from "./words";
import { LinkRequest } from "./linkrequest";

/** Requests a link for choosing a new password. */
export function Forgot({ app, back }: { readonly app: App; back(): void }) {
	return (
		<>
			<Heading title={w("forgotTitle")} />
			<p class="d-muted">{w("forgotHelp")}</p>
			<LinkRequest app={app} purpose="reset-password" label={w("sendLink")} />
			<Button kind="text" wide onPress={back}>
				{w("backToSignIn")}
			</Button>
		</>
	);
}
