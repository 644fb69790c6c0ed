import { Button, Chip } from "@narthex/kit";
import type { Board, News } from "./board";
import type { Tools } from "./tools";

interface NewsProps {
	readonly tools: Tools;
	readonly board: Board;
}

/** What has changed without a coordinator, until one of them has seen it. */
export function NewsPanel({ tools, board: { news, volunteers } }: NewsProps) {
	const { api, say, tell } = tools;
	const [last] = news;
	if (last === undefined) return null;
	const seen = async (): Promise<void> => {
		tell(await api.seeNews(last.id), say("newsSeen"), undefined, seen);
	};
	return (
		<section class="d-card d-stack news" aria-labelledby="rota-news">
			<div class="d-row">
				<h2 id="rota-news">{say("newsTitle", { count: news.length })}</h2>
				<Button onPress={seen}>{say("newsSee")}</Button>
			</div>
			<ul>
				{news.map((one) => (
					<li key={one.id}>
						{sentence(tools, one)}
						{one.unreached.length > 0 && (
							<>
								{" "}
								<Chip tone="warn">{say("newsUnreached", { names: one.unreached.join(", ") })}</Chip>
							</>
						)}
					</li>
				))}
			</ul>
			{!volunteers.some(({ digest }) => digest) && <p class="d-muted">{say("newsNobody")}</p>}
		</section>
	);
}

function sentence({ say, moment }: Tools, { kind, title, start, was, people, role, name }: News): string {
	return say(`news.${kind}`, {
		...{ title, role, name: name || say("erased"), count: people },
		...{ when: moment(start), was: was === null ? "" : moment(was) },
	});
}
