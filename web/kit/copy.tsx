import { Button } from "./button";
import type { Toasts } from "./toast";
import { k } from "./words";

export interface CopyButtonProps {
	readonly text: string;
	/** The button's text: "Copy my ID". */
	readonly label: string;
	readonly toasts: Toasts;
}

/** Copies the text and reports the result in a toast. */
export function CopyButton({ text, label, toasts }: CopyButtonProps) {
	const copy = async () => {
		try {
			await navigator.clipboard.writeText(text);
			toasts.show({ text: k("copied"), level: "polite" });
		} catch {
			toasts.show({ text: k("notCopied"), level: "assertive" });
		}
	};
	return (
		<Button icon="copy" label={label} onPress={copy}>
			{k("copy")}
		</Button>
	);
}
