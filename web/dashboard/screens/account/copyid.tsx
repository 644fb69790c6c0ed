import type { App } from "../../app/app";
import { t } from "../../words/words";

/** The person's id, to be passed on to whoever gives access. */
export function CopyId({ app, userId }: { readonly app: App; readonly userId: string }) {
	const copy = async () => {
		try {
			await navigator.clipboard.writeText(userId);
			app.announce(t("copied"));
		} catch {
			app.announce(t("notCopied"), "assertive");
		}
	};
	return (
		<div class="row">
			<span>
				<span class="muted">{t("yourId")}</span>{" "}
				<bdi dir="ltr" class="code">
					{userId}
				</bdi>
			</span>
			<button type="button" aria-label={t("copyMyId")} onClick={() => void copy()}>
				{t("copy")}
			</button>
		</div>
	);
}
