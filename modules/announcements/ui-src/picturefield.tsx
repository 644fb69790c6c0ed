import { Button, Field } from "@narthex/kit";
import { useEffect, useRef, useState } from "preact/hooks";
import { shrink } from "./shrink";
import type { Tools } from "./tools";
import type { WordId } from "./words";

interface PictureFieldProps {
	readonly tools: Tools;
	readonly imageId: string | null;
	readonly error: string | undefined;
	onChange(imageId: string | null): void;
}

/** A field for a picture. It uploads the picture at once, and returns the id by which a slide names it. */
export function PictureField({ tools, imageId, error, onChange }: PictureFieldProps) {
	const { context, api, say } = tools;
	const [busy, setBusy] = useState(false);
	const [wrong, setWrong] = useState<WordId>();
	const chosen = useRef(0);
	const input = useRef<HTMLInputElement>(null);
	useEffect(() => () => void chosen.current++, []); // after the field is removed, a pending upload is ignored

	const take = async (file: File | undefined) => {
		if (file === undefined) return;
		const choice = ++chosen.current;
		setWrong(undefined);
		setBusy(true);
		const small = await shrink(file);
		const result = typeof small === "string" ? undefined : await api.upload(small);
		if (context.signal.aborted || choice !== chosen.current) return;
		setBusy(false);
		if (input.current) input.current.value = ""; // the same file can be chosen again
		if (typeof small === "string") return setWrong(small);
		if (result?.ok) {
			context.announce(say("pictureReady"));
			return onChange(result.value.id);
		}
		setWrong(result?.why === "tooLarge" ? "imageTooLarge" : (result?.why ?? "failed"));
	};
	return (
		<Field
			label={say("picture")}
			optional
			help={say("pictureHelp")}
			error={wrong ? say(wrong) : error}
			control={(control) => (
				<div class="d-row">
					<input
						{...control}
						ref={input}
						type="file"
						accept="image/*"
						class="d-unseen"
						tabIndex={-1}
						onChange={(event) => void take(event.currentTarget.files?.[0])}
					/>
					<Button
						icon="upload"
						busy={busy}
						busyWords={say("sending")}
						{...(control["aria-describedby"] && { describedBy: control["aria-describedby"] })}
						onPress={() => input.current?.click()}
					>
						{say(imageId === null ? "choosePicture" : "otherPicture")}
					</Button>
					{imageId !== null && !busy && (
						<Button kind="quiet" icon="x" onPress={() => onChange(null)}>
							{say("removePicture")}
						</Button>
					)}
				</div>
			)}
		/>
	);
}
