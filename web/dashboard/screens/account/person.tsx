import { useSignal } from "@preact/signals";
import { Button } from "../../../kit/button";
import { DraftNote, useDraft } from "../../../kit/draft";
import { Form, TextField } from "../../../kit/field";
import { Skeleton } from "../../../kit/layout";
import { nameError } from "../../../kit/names";
import type { App } from "../../app/app";
import type { Account } from "../../data/platform";
import type { Failure } from "../../data/request";
import { FailureNote } from "../../shell/errorpage";
import { t } from "../../words/words";
import { w } from "./words";

/** The person's name, which they may change, and the address with which they sign in. */
export function Person({ app }: { readonly app: App }) {
	const { account } = app.data;
	const known = account.value.value;
	const failed = account.failed.value;
	if (known === undefined) return failed ? <FailureNote {...failed} /> : <Skeleton rows={2} />;
	return (
		<>
			<section>
				<div>
					<h2>{w("name")}</h2>
					<p class="d-muted">{w("nameHelp")}</p>
				</div>
				<NameForm app={app} account={known} />
			</section>
			<section>
				<div>
					<h2>{w("email")}</h2>
					<p class="d-muted">{w("emailHelp")}</p>
				</div>
				<bdi dir="ltr">{known.email}</bdi>
			</section>
		</>
	);
}

function NameForm({ app, account }: { readonly app: App; readonly account: Account }) {
	const current = account.name ?? "";
	const draft = useDraft(app.drafts.of("own/account"), "name", current, differ);
	const problem = useSignal<string | undefined>(undefined);
	const refused = useSignal<{ failure: Failure; at: Date } | undefined>(undefined);
	const busy = useSignal(false);
	const save = async () => {
		const name = draft.value.trim();
		problem.value = problemOf(name);
		refused.value = undefined;
		if (problem.value !== undefined || busy.value) return;
		busy.value = true;
		const answer = await app.data.write(app.platform.changeName(name), app.data.account);
		busy.value = false;
		if (!answer.ok && answer.status === 400) problem.value = t("nameRefused");
		else refused.value = answer.ok ? undefined : { failure: answer, at: new Date() };
		if (!answer.ok) return;
		draft.begin(name);
		app.announce(w("nameSaved"));
	};
	return (
		<Form class="d-row host-name-form" onSubmit={save}>
			<DraftNote draft={draft} />
			<TextField
				label={w("name")}
				hideLabel
				autocomplete="name"
				value={draft.value}
				onInput={draft.set}
				error={problem.value}
			/>
			<Button submit busy={busy.value} busyWords={t("saving")}>
				{w("saveName")}
			</Button>
			{refused.value && <FailureNote {...refused.value} />}
		</Form>
	);
}

const differ = (typed: string, name: string): boolean => typed.trim() !== name;

/** What is wrong with a name, by the server's limits. */
function problemOf(name: string): string | undefined {
	return name === "" ? w("nameNeeded") : nameError(name, 200);
}
