import { Button } from "../../../kit/button";
import { CopyButton } from "../../../kit/copy";
import { Dialog } from "../../../kit/dialog";
import { qrCode } from "../../../host/qr";
import type { App } from "../../app/app";
import { w } from "./words";

/** An address that was just made, for a program whose name the person has given. */
export interface Shown {
	readonly label: string;
	readonly url: string;
	readonly kind: "calendar" | "news" | "website";
}

interface AddressDialogProps extends Shown {
	readonly app: App;
	onClose(): void;
}

/** Shows an address: the server knows it no more, and it is not kept here either. */
export function AddressDialog({ app, label, url, kind, onClose }: AddressDialogProps) {
	return (
		<Dialog
			title={w("addressTitle", { name: label })}
			size="medium"
			onClose={onClose}
			footer={
				<Button kind="primary" onPress={onClose}>
					{w("done")}
				</Button>
			}
		>
			<p>{w(kind === "website" ? "howWebsite" : kind === "news" ? "howNews" : "how")}</p>
			<p class="d-row">
				<code dir="ltr" translate={false} class="d-code host-address">
					{url}
				</code>
				<CopyButton text={url} label={w("copyAddress")} toasts={app.toasts} />
			</p>
			{kind === "calendar" && (
				<p>
					<a href={url.replace(/^https?:/, "webcal:")}>{w("openHere")}</a>
				</p>
			)}
			{kind !== "website" && <Code text={url} />}
			<p>{w("once")}</p>
		</Dialog>
	);
}

function Code({ text }: { readonly text: string }) {
	const { size, path } = qrCode(text);
	const whole = size + 8; // with a margin of four light modules
	return (
		<svg class="host-qr host-dialog-qr" viewBox={`-4 -4 ${whole} ${whole}`} role="img" aria-label={w("qr")}>
			<path d={path} />
		</svg>
	);
}
