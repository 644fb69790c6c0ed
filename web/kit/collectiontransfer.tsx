import { useEffect, useState } from "preact/hooks";
import { Button } from "./button";
import type { Collected } from "./collected";
import { labelOf } from "./collectionfields";
import { refusedOf } from "./collectionrows";
import { c } from "./collectionwords";
import { FileButton } from "./filebutton";
import { ImportReport } from "./importreport";
import { Note, ScreenHeader } from "./layout";
import { type ImportAnswer, type ImportProblem, importQuery, useTransfer } from "./transfer";

/** The answer of a collection's import. */
interface Answer extends ImportAnswer {
	readonly added: number;
	readonly changed: number;
	readonly unchanged: number;
}

/** The page on which a table is imported, after it was shown what would change. */
export function TransferPage({ all }: { readonly all: Collected }) {
	const { context, own, path, fields, at = "", api, list } = all;
	const [name, setName] = useState("");
	useEffect(() => context.setTitle(c("importTitle")), []);
	const leave = () => context.navigate(at, { replace: true });
	const { chosen, refused, busy, look, choose, take, forget } = useTransfer(
		context,
		(file: Blob, preview: boolean, choices) =>
			api.send<Answer>("POST", `${path}/import${importQuery(preview, choices)}`, file),
		() => {
			context.announce(c("imported"));
			void list.reload();
			leave();
		},
	);
	const labels = Object.fromEntries(
		Object.keys(fields).map((field) => [field, labelOf(own.fields, field).label]),
	);
	const problem = ({ code, field = "", detail = "" }: ImportProblem): string => {
		if (code === "TOO_MANY") return c("tooManyRows");
		if (code === "ENCODING_GUESSED") return c("encoding", { detail });
		if (code !== "ROW_INVALID") return c("unreadable");
		return field === "" ? c("rowInvalid") : c("rowInvalidIn", { field: labels[field] ?? field });
	};
	const { added = 0, changed = 0, unchanged = 0 } = chosen?.answer ?? {};
	return (
		<>
			<ScreenHeader />
			<div class="d-stack">
				<p id="import-help">{c("importHelp", { columns: Object.keys(fields).join(", ") })}</p>
				<div class="d-row">
					<FileButton
						accept=".csv,.tsv,.txt,.xlsx"
						busy={busy}
						busyWords={c("looking")}
						describedBy="import-help"
						onFiles={([file]) => {
							setName(file?.name ?? "");
							return look(file);
						}}
					>
						{c("chooseFile")}
					</FileButton>
					<Button onPress={leave}>{c("toList")}</Button>
				</div>
				{refused && (
					<Note tone="bad" role="alert">
						<p>{all.refusal(refusedOf(refused))}</p>
					</Note>
				)}
				{chosen && (
					<ImportReport
						{...{ name, take, forget, problem, columns: labels }}
						answer={chosen.answer}
						effects={[
							...(added > 0 ? [c("wouldAdd", { count: added })] : []),
							...(changed > 0 ? [c("wouldChange", { count: changed })] : []),
							...(unchanged > 0 ? [c("wouldStay", { count: unchanged })] : []),
						]}
						ready={added + changed > 0}
						choose={(columns) => choose({ columns })}
					/>
				)}
			</div>
		</>
	);
}
