import { CopyButton } from "../../../kit/copy";
import type { App } from "../../app/app";
import { t } from "../../words/words";

/** The person's id, to be passed on to whoever gives access. */
export function CopyId({ app, userId }: { readonly app: App; readonly userId: string }) {
	return (
		<div class="row">
			<span>
				<span class="muted">{t("yourId")}</span>{" "}
				<bdi dir="ltr" class="code">
					{userId}
				</bdi>
			</span>
			<CopyButton text={userId} label={t("copyMyId")} toasts={app.toasts} />
		</div>
	);
}
