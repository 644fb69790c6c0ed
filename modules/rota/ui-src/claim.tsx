import { Button, Note } from "@narthex/kit";
import { useEffect, useState } from "preact/hooks";
import type { Failed } from "./api";
import { refusalIn, type Tools } from "./tools";

interface ClaimProps {
	readonly tools: Tools;
	/** The token in the address of the link; "" after it was removed from there. */
	readonly token: string;
}

/**
 * Connects the signed-in person with a volunteer. This needs a click, because programs that scan mails open
 * links.
 */
export function Claim({ tools, token }: ClaimProps) {
	const { context, api, say } = tools;
	const [kept, setKept] = useState(token || (context.drafts.get("claim") as string | undefined));
	const [refused, setRefused] = useState<Failed>();
	useEffect(() => context.setTitle(say("claimTitle")), []);
	useEffect(() => {
		if (token === "") return;
		setKept(token);
		context.drafts.set("claim", token);
		context.navigate("claim", { replace: true }); // so the link is not in the browser's history
	}, [token]);
	useEffect(() => {
		void api.mine().then((mine) => {
			// the link of a mail leads somebody who is connected to their dates, however often they open it
			if (mine.ok && mine.value.volunteer !== null && !context.signal.aborted) leave();
		});
	}, []);
	const leave = () => {
		context.drafts.delete("claim");
		context.navigate("mine", { replace: true });
	};
	const connect = async () => {
		const result = await api.claim(kept ?? "");
		if (context.signal.aborted) return;
		setRefused(result.ok ? undefined : result);
		if (!result.ok) return;
		context.announce(say("claimed"));
		leave();
	};
	const over = kept === undefined || refused?.why === "claimUnusable" || refused?.why === "alreadyVolunteer";
	return (
		<div class="d-stack claim">
			{!over && <p>{say("claimHelp")}</p>}
			{kept === undefined && <p>{say("claimNoLink")}</p>}
			{refused && (
				<Note tone="bad" role="alert">
					<p>{refusalIn(say, refused)}</p>
				</Note>
			)}
			<div class="d-row">
				{!over && (
					<Button kind="primary" onPress={connect}>
						{say("claimPress")}
					</Button>
				)}
				<Button onPress={leave}>{say("toMine")}</Button>
			</div>
		</div>
	);
}
