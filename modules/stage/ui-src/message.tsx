import { Button, Dialog, DraftNote, Form, mayClose, TextField, useDraft } from "@narthex/kit";
import { useState } from "preact/hooks";
import type { Press } from "./api";
import { limits } from "./plan";
import type { Tools } from "./tools";

interface MessageProps {
	readonly tools: Tools;
	/** The message that screens show; "" for none. */
	readonly shown: string;
	/** Returns whether it was done. */
	press(press: Press): Promise<boolean>;
}

const messageDraft = "message";

/** Shows a line on every screen, and removes it again. */
export function Message(props: MessageProps) {
	const [open, setOpen] = useState(props.tools.holdsWords(messageDraft));
	return (
		<>
			<button type="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
				{props.tools.say("message")}
			</button>
			{open && <MessageDialog {...props} close={() => setOpen(false)} />}
		</>
	);
}

function MessageDialog({ tools, shown, press, close }: MessageProps & { close(): void }) {
	const { context, say } = tools;
	const draft = useDraft(context.drafts, messageDraft, shown);
	const send = async (message: string) => {
		if (!(await press({ action: "message", message }))) return;
		draft.discard();
		close();
	};
	const cancel = async () => {
		if (await mayClose(draft, context.confirm)) close();
	};
	return (
		<Dialog
			title={say("messageTitle")}
			size="medium"
			onClose={cancel}
			footer={
				<>
					<Button onPress={cancel}>{say("cancel")}</Button>
					{shown !== "" && <Button onPress={() => send("")}>{say("messageOff")}</Button>}
					<Button kind="primary" submit>
						{say("messageShow")}
					</Button>
				</>
			}
		>
			<Form onSubmit={() => send(draft.value)}>
				<DraftNote draft={draft} />
				<TextField
					label={say("message")}
					help={say("messageHelp")}
					maxLength={limits.message}
					value={draft.value}
					onInput={draft.set}
				/>
			</Form>
		</Dialog>
	);
}
