import { Button, Dialog, type Draft, DraftNote, Form, mayClose, Note } from "@narthex/kit";
import type { ComponentChildren } from "preact";
import type { Refusal } from "./api";
import type { Tools } from "./tools";

interface EditDialogProps {
	readonly tools: Tools;
	readonly title: string;
	/** The label of the save button; "Save" by default. */
	readonly saveWords?: string;
	/** Why the last attempt to save was refused. */
	readonly refused: Refusal | undefined;
	/** What is typed; none if there is only a choice. */
	readonly draft?: Pick<Draft<unknown>, "dirty" | "restored" | "discard">;
	save(): unknown;
	close(): void;
	/** The fields. */
	readonly children: ComponentChildren;
}

/** A dialog with fields that are saved together. */
export function EditDialog(props: EditDialogProps) {
	const { tools, title, saveWords, refused, draft, save, close, children } = props;
	const { context, say } = tools;
	const cancel = async () => {
		if (draft === undefined || (await mayClose(draft, context.confirm))) close();
	};
	return (
		<Dialog
			title={title}
			size="medium"
			onClose={cancel}
			footer={
				<>
					<Button onPress={cancel}>{say("cancel")}</Button>
					<Button kind="primary" submit busyWords={say("saving")}>
						{saveWords ?? say("save")}
					</Button>
				</>
			}
		>
			<Form onSubmit={save}>
				{draft && <DraftNote draft={draft} />}
				{refused !== undefined && (
					<Note tone="bad" role="alert">
						<p>{say(refused)}</p>
					</Note>
				)}
				{children}
			</Form>
		</Dialog>
	);
}
