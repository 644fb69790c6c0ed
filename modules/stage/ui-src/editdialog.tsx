import { Button, Dialog, Form, Note } from "@narthex/kit";
import type { ComponentChildren } from "preact";
import type { Refusal } from "./api";
import type { Say } from "./words";

interface EditDialogProps {
	readonly say: Say;
	readonly title: string;
	/** The label of the save button; "Save" by default. */
	readonly saveWords?: string;
	readonly busy: boolean;
	/** Why the last attempt to save was refused. */
	readonly refused: Refusal | undefined;
	save(): unknown;
	leave(): void;
	/** The fields. */
	readonly children: ComponentChildren;
}

/** A dialog with fields that are saved together. */
export function EditDialog({ say, title, saveWords, busy, refused, save, leave, children }: EditDialogProps) {
	return (
		<Dialog
			title={title}
			size="medium"
			onClose={leave}
			footer={
				<>
					<Button onPress={leave}>{say("cancel")}</Button>
					<Button kind="primary" busy={busy} busyWords={say("saving")} onPress={save}>
						{saveWords ?? say("save")}
					</Button>
				</>
			}
		>
			<Form onSubmit={save}>
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
