import { CopyButton } from "../../../kit/copy";
import type { App } from "../../app/app";
import { w } from "./words";

interface CopyIdProps {
	readonly app: App;
	/** Shows a label, for a place without a heading. */
	readonly named?: boolean;
}

/** The person's id, which they can send to the person who gives access. */
export function CopyId({ app, named }: CopyIdProps) {
	const who = app.session.who.value;
	const userId = who.is === "person" ? who.userId : "";
	return (
		<div class="d-row">
			<span>
				{named && <span class="d-muted">{w("yourId")} </span>}
				<bdi dir="ltr" translate={false} class="d-code">
					{userId}
				</bdi>
			</span>
			<CopyButton text={userId} label={w("copyMyId")} toasts={app.toasts} />
		</div>
	);
}
