import { Button, Dialog } from "@narthex/kit";
import type { ModuleUiContext } from "@narthex/sdk";
import type { Shared } from "./listapi";
import type { SayList } from "./listwords";

interface ShareDialogProps {
	readonly say: SayList;
	readonly context: ModuleUiContext;
	readonly shared: Shared;
	close(): void;
}

/** An address for guests, which the server does not know any more: to copy, and as a code. */
export function ShareDialog({ say, context, shared: { address, code }, close }: ShareDialogProps) {
	const copy = async () => {
		try {
			await navigator.clipboard.writeText(address);
			context.announce(say("copied"));
		} catch {
			context.announce(say("notCopied"), "assertive");
		}
	};
	return (
		<Dialog
			title={say("share")}
			size="medium"
			onClose={close}
			footer={
				<>
					<Button icon="copy" onPress={copy}>
						{say("copy")}
					</Button>
					<Button kind="primary" onPress={close}>
						{say("done")}
					</Button>
				</>
			}
		>
			<p>{say("shareHelp")}</p>
			<p>
				<code dir="ltr" translate={false} class="d-code">
					{address}
				</code>
			</p>
			<svg class="qr" viewBox={viewOf(code.size)} role="img" aria-label={say("code")}>
				<path d={code.path} />
			</svg>
			<p class="d-muted">{say("shareOnce")}</p>
		</Dialog>
	);
}

/** A QR code has a margin of four light modules. */
const viewOf = (size: number): string => `-4 -4 ${size + 8} ${size + 8}`;
