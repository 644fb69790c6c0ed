import { Button } from "../../../kit/button";
import { CopyButton } from "../../../kit/copy";
import { Dialog } from "../../../kit/dialog";
import type { App } from "../../app/app";
import { w } from "./words";

interface CodesDialogProps {
	readonly app: App;
	readonly codes: readonly string[];
	onClose(): void;
}

/** Shows recovery codes: the server stores their hashes, and they are not kept here either. */
export function CodesDialog({ app, codes, onClose }: CodesDialogProps) {
	const email = app.data.account.value.value?.email ?? "";
	return (
		<Dialog
			title={w("codesTitle")}
			size="medium"
			onClose={onClose}
			footer={
				<>
					<Button onPress={() => print()}>{w("printCodes")}</Button>
					<Button kind="primary" onPress={onClose}>
						{w("codesKept")}
					</Button>
				</>
			}
		>
			<p class="d-off-paper">{w("codesHelp")}</p>
			<p class="d-on-paper">{w("codesPaper", { account: `${email}, ${location.host}` })}</p>
			<ol class="host-codes" dir="ltr" translate={false}>
				{codes.map((code) => (
					<li key={code} class="d-code">
						{code}
					</li>
				))}
			</ol>
			<div class="d-off-paper">
				<CopyButton text={codes.join("\n")} label={w("copyCodes")} toasts={app.toasts} />
			</div>
		</Dialog>
	);
}
