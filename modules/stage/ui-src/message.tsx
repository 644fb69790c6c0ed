import { Button, Dialog, Form, TextField } from "@narthex/kit";
import { useState } from "preact/hooks";
import type { Press } from "./api";
import { limits } from "./plan";
import type { Tools } from "./tools";

interface MessageProps {
	readonly tools: Tools;
	/** The message that screens show; "" for none. */
	readonly shown: string;
	press(press: Press): Promise<void>;
}

/** Shows a line on every screen, and removes it again. */
export function Message({ tools: { say }, shown, press }: MessageProps) {
	const [draft, setDraft] = useState<string>();
	const send = async (message: string) => {
		setDraft(undefined);
		await press({ action: "message", message });
	};
	return (
		<>
			<button type="button" aria-haspopup="dialog" onClick={() => setDraft(shown)}>
				{say("message")}
			</button>
			{draft !== undefined && (
				<Dialog
					title={say("messageTitle")}
					size="medium"
					onClose={() => setDraft(undefined)}
					footer={
						<>
							<Button onPress={() => setDraft(undefined)}>{say("cancel")}</Button>
							{shown !== "" && <Button onPress={() => send("")}>{say("messageOff")}</Button>}
							<Button kind="primary" onPress={() => send(draft)}>
								{say("messageShow")}
							</Button>
						</>
					}
				>
					<Form onSubmit={() => send(draft)}>
						<TextField
							label={say("message")}
							help={say("messageHelp")}
							maxLength={limits.message}
							value={draft}
							onInput={setDraft}
						/>
					</Form>
				</Dialog>
			)}
		</>
	);
}
