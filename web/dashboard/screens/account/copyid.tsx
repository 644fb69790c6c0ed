import { CopyButton } from "../../../kit/copy";
import type { App } from "../../app/app";
import { w } from "./words";

/** The person's id, to be passed on to whoever gives access. */
export function CopyId({ app }: { readonly app: App }) {
	const who = app.session.who.value;
	const userId = who.is === "person" ? who.userId : "";
	return (
		<div class="row">
			<span>
				<span class="muted">{w("yourId")}</span>{" "}
				<bdi dir="ltr" class="code">
					{userId}
				</bdi>
			</span>
			<CopyButton text={userId} label={w("copyMyId")} toasts={app.toasts} />
		</div>
	);
}
