import { Button, Dialog, type Draft, DraftNote, Form, mayClose, Note, OtherVersion } from "@narthex/kit";
import type { ComponentChildren, ComponentProps } from "preact";
import type { Refusal } from "./api";
import type { Tools } from "./tools";

interface Theirs extends ComponentProps<typeof OtherVersion> {
	take(): void;
	/** Saves what is typed over it. */
	replace(): unknown;
}

interface EditDialogProps {
	readonly tools: Tools;
	readonly title: string;
	/** The label of the save button; "Save" by default. */
	readonly saveWords?: string;
	/** Why the last attempt to save was refused. */
	readonly refused: Refusal | undefined;
	/** What is typed; none if there is only a choice. */
	readonly draft?: Pick<Draft<unknown>, "dirty" | "restored" | "discard">;
	/** What somebody else has saved meanwhile. */
	readonly theirs?: Theirs | undefined;
	save(): unknown;
	close(): void;
	/** The fields. */
	readonly children: ComponentChildren;
}

/** A dialog with fields that are saved together. */
export function EditDialog(props: EditDialogProps) {
	const { tools, title, saveWords, refused, draft, theirs, save, close, children } = props;
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
						<p>{say(refused === "denied" ? "editDenied" : refused)}</p>
						{refused === "conflict" && theirs && (
							<>
								<OtherVersion fields={theirs.fields} />
								<div class="d-row">
									<Button onPress={theirs.take}>{say("takeTheirs")}</Button>
									<Button onPress={theirs.replace}>{say("keepMine")}</Button>
								</div>
							</>
						)}
					</Note>
				)}
				{children}
			</Form>
		</Dialog>
	);
}
