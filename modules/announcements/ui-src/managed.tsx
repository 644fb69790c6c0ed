import { Button, type Column, Grip, Menu, type Reorder, Table, useReorder } from "@narthex/kit";
import { type SlideProps, State, Times } from "./notice";
import { type Slide, statusOf } from "./slide";
import { Thumbnail } from "./thumbnail";
import type { Tools } from "./tools";

interface ManagedProps {
	readonly tools: Tools;
	readonly slides: readonly Slide[];
	readonly now: number;
	/** The slide that is shown by hand. */
	readonly shown: string | undefined;
	publish(slide: Slide): Promise<void>;
	show(slide: Slide): Promise<void>;
	endShow(slide: Slide): Promise<void>;
	move(id: string, to: number): Promise<void>;
	remove(slide: Slide): Promise<void>;
}

/** The slides for people who manage them: a table whose order can be changed. */
export function Managed({ tools, slides, now, shown, publish, show, endShow, move, remove }: ManagedProps) {
	const { context, say } = tools;
	const reorder = useReorder(
		slides.map(({ id }) => id),
		move,
	);
	const byId = new Map(slides.map((slide) => [slide.id, slide]));
	const rows = reorder.order.flatMap((id) => byId.get(id) ?? []);
	const columns: readonly Column<Slide>[] = [
		{
			id: "grip",
			head: say("order"),
			hideHead: true,
			width: "40px",
			cell: ({ id, title }) => <Grip reorder={reorder} id={id} name={title} />,
		},
		{
			id: "notice",
			head: say("notice"),
			part: "title",
			cell: (slide) => <Notice tools={tools} slide={slide} />,
		},
		{
			id: "state",
			head: say("state"),
			width: "176px",
			cell: (slide) => <State tools={tools} slide={slide} now={now} />,
		},
		{
			id: "time",
			head: say("time"),
			part: "detail",
			width: "200px",
			cell: (slide) => <Times tools={tools} slide={slide} />,
		},
		{
			id: "actions",
			head: say("actions"),
			hideHead: true,
			part: "actions",
			width: "340px",
			cell: (slide, at) => (
				<>
					{slide.id === shown ? (
						<Button
							kind="quiet"
							label={say("stopShowingOf", { title: slide.title })}
							onPress={() => endShow(slide)}
						>
							{say("stopShowing")}
						</Button>
					) : (
						["live", "scheduled", "paused"].includes(statusOf(slide, now)) && (
							<Button
								kind="quiet"
								label={say("showNowOf", { title: slide.title })}
								onPress={() => show(slide)}
							>
								{say("showNow")}
							</Button>
						)
					)}
					<Button
						kind="quiet"
						label={say(slide.enabled ? "unpublishOf" : "publishOf", { title: slide.title })}
						onPress={() => publish(slide)}
					>
						{say(slide.enabled ? "unpublish" : "publish")}
					</Button>
					<Menu
						label={say("moreOf", { title: slide.title })}
						items={[
							{
								id: "edit",
								label: say("edit"),
								icon: "pencil",
								onPick: () => context.navigate(`edit/${slide.id}`),
							},
							...steps(tools, reorder, slide.id, at, rows.length),
							{
								id: "delete",
								label: say("deleteAsk"),
								icon: "trash",
								grave: true,
								onPick: () => remove(slide),
							},
						]}
					/>
				</>
			),
		},
	];
	return (
		<Table
			label={say("notices")}
			columns={columns}
			rows={rows}
			rowId={({ id }) => id}
			rowClass={({ id }) =>
				id === reorder.dragged ? "d-moved d-dragged" : id === reorder.moved ? "d-moved" : undefined
			}
		/>
	);
}

function steps({ say }: Tools, reorder: Reorder, id: string, at: number, count: number) {
	return [
		{ id: "up", label: say("up"), icon: "up", idle: at === 0, onPick: () => reorder.step(id, -1) },
		{
			id: "down",
			label: say("down"),
			icon: "down",
			idle: at === count - 1,
			onPick: () => reorder.step(id, 1),
		},
	] as const;
}

function Notice({ tools, slide }: SlideProps) {
	const { context } = tools;
	const subpath = `edit/${slide.id}`;
	return (
		<div class="notice">
			<Thumbnail tools={tools} slide={slide} />
			<div>
				<a
					class="d-name"
					href={`#/m/${context.module.id}/${subpath}`}
					onClick={(event) => {
						if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
							return;
						event.preventDefault();
						context.navigate(subpath);
					}}
				>
					<bdi>{slide.title}</bdi>
				</a>
				{slide.body !== "" && (
					<p class="d-second" dir="auto">
						{slide.body}
					</p>
				)}
			</div>
		</div>
	);
}
