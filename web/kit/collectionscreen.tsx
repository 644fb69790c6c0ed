import { moduleApi, type Refusal, saveFile } from "../sdk/narthex-sdk"; // see importwords.ts
import { useEffect, useState } from "preact/hooks";
import type { Collected, Given, One } from "./collected";
import type { CollectionFields, CollectionRow, CollectionScreenProps } from "./collection";
import { RowPage } from "./collectionform";
import { bodyOf, labelOf, shown, valuesOf } from "./collectionfields";
import { CollectionList } from "./collectionlist";
import { type Refused, refusedOf, useRows } from "./collectionrows";
import { TransferPage } from "./collectiontransfer";
import { c } from "./collectionwords";
import { k } from "./words";

const passing: readonly Refusal[] = ["offline", "busy", "failed"];

/** The screen of a collection: its list, and the pages of its rows. See CollectionScreenProps. */
export function CollectionScreen<
	const Fields extends CollectionFields,
	Row extends CollectionRow = CollectionRow,
	Full extends CollectionRow = Row,
>(props: CollectionScreenProps<Fields, Row, Full>) {
	const all = useCollected(props as unknown as Given);
	const { context, at = "", transfer, inline, writes } = all;
	const [subpath, setSubpath] = useState(context.subpath);
	useEffect(() => context.onNavigate(setSubpath), []);
	const part = at === "" ? subpath : subpath.slice(at.length + 1);
	const page = () => {
		if (part === "import" && transfer === "both" && writes) return <TransferPage all={all} />;
		if (part === "" || inline || (part === "new" && !writes)) return <CollectionList all={all} />;
		return <RowPage key={part} {...{ all, id: part === "new" ? undefined : part }} />;
	};
	return (
		<div class="d-collection" lang={all.language}>
			{page()}
		</div>
	);
}

function useCollected(props: Given): Collected {
	const { context, path, fields, words, at = "", write, partial, whole, ordered, open, send } = props;
	const name = path.slice(path.lastIndexOf("/") + 1);
	const code = context.locale.toLowerCase().split("-")[0] ?? "";
	const translated = Object.hasOwn(words, code) ? words[code] : undefined;
	const own = translated ?? words.en;
	const api = moduleApi<never>(context, {});
	const [first = ""] = Object.keys(fields);
	const nameOf = (row: One): string => {
		if (props.name) return props.name(row);
		const field = fields[first];
		const value = field && valuesOf({ [first]: field }, row)[first];
		return (field && shown(field, value ?? "", labelOf(own.fields, first))) || c("nameless");
	};
	const list = useRows<One>({
		...props,
		textOf: (row) => [nameOf(row), ...Object.values(row).filter((one) => typeof one === "string")].join(" "),
	});
	const known = (id: unknown) =>
		partial ? undefined : list.rows?.find((row) => String(row.id) === String(id));
	const fresh: Collected["fresh"] = async (id, failed) => {
		const result = await api.send<One>("GET", whole ? path : `${path}/${id}`);
		if (context.signal.aborted) return undefined;
		if (!result.ok) return void failed?.(refusedOf(result));
		if (!whole) return result.value;
		const rows = result.value[name] as readonly One[];
		return rows.find((row) => String(row.id) === String(id)) ?? void failed?.(missing);
	};
	const refusal = ({ why, code, field }: Refused): string => {
		if (field !== "" && code === "REQUEST_INVALID") return c("fieldInvalid");
		const said = own.refusals?.[code];
		if (said !== undefined) return said;
		if (field !== "") return c(code.endsWith("_TAKEN") ? "taken" : "fieldInvalid");
		if (code.endsWith("_IN_USE")) return c("inUse");
		if (code.startsWith("TOO_MANY_")) return c("tooMany");
		return code === "REQUEST_INVALID" ? c("invalid") : c(why, { permission: write });
	};
	const fail: Collected["fail"] = (why, again) =>
		context.announce(
			refusal(why),
			"assertive",
			passing.includes(why.why) ? { label: k("tryAgain"), run: again } : undefined,
		);

	const remove = async (row: One): Promise<boolean> => {
		const { deleteHelp: help } = own;
		const named = { name: nameOf(row) };
		const question = { title: c("deleteTitle", named), yes: c("deleteWord"), no: c("keep"), danger: true };
		if (help !== undefined && !(await context.confirm({ ...question, body: help }))) return false;
		const place = list.rows?.findIndex(({ id }) => id === row.id) ?? -1;
		const before = place < 0 ? undefined : (list.rows?.[place - 1]?.id ?? null);
		const full = help === undefined && partial ? await fresh(row.id) : row;
		const result = await api.send("DELETE", `${path}/${row.id}`);
		if (context.signal.aborted) return false;
		if (!result.ok && result.why !== "gone") {
			fail(refusedOf(result), () => remove(row));
			return false;
		}
		const undo = full && { label: k("undo"), run: () => bringBack(full, before) };
		context.announce(c("deleted", named), "polite", help === undefined ? undo : undefined);
		await list.reload();
		return true;
	};
	/** Adds a deleted row anew, where it was, if that is known. */
	const bringBack = async (row: One, before: One["id"] | null | undefined): Promise<void> => {
		const values = open?.(row) ?? valuesOf(fields, row);
		const result = await api.send<One>("POST", path, send?.(values, undefined) ?? bodyOf(fields, values));
		if (context.signal.aborted) return;
		if (!result.ok) return fail(refusedOf(result), () => bringBack(row, before));
		await list.reload();
		if (ordered && before !== undefined) await list.place(result.value.id, before);
		context.announce(c("back", { name: nameOf(row) }));
	};
	const exportTable = async (): Promise<void> => {
		const result = await api.file(`${path}/export`);
		if (context.signal.aborted) return;
		if (result.ok) saveFile(result.value, `${name}.csv`);
		else fail(refusedOf(result), exportTable);
	};
	return {
		...props,
		...{ own, api, list, nameOf, known, fresh, refusal, fail, remove, export: exportTable },
		language: translated ? context.locale : "en",
		writes: context.permissions.includes(write),
		to: (part) => `#/m/${context.module.id}/${[at, part].filter(Boolean).join("/")}`,
	};
}

const missing: Refused = { why: "gone", code: "", field: "" };
