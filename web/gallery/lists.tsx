import { useState } from "preact/hooks";
import { Button, Chip, ListRow, PageHeader, placed, ReorderList, Table, Tile } from "../kit/index";
import { Part } from "./part";
import { say } from "./voice";

const modules = [
	{ id: "stage", name: "Stage", icon: "lectern" },
	{ id: "rota", name: "Rota", icon: "rota" },
	{ id: "announcements", name: "Announcements", icon: "megaphone" },
] as const;

export function Rows() {
	const [order, setOrder] = useState<readonly string[]>(modules.map(({ id }) => id));
	const items = order.flatMap((id) => modules.find((module) => module.id === id) ?? []);
	const move = (id: string, to: number) => {
		setOrder(placed(order, id, to));
		say(`${id} moved, position ${to + 1} of ${order.length}`);
	};
	return (
		<Part name="Row and reorder list">
			<ul class="d-list">
				<ListRow lead={<Tile icon="lectern" lit />} title="Stage" second="1.2.0">
					<Chip tone="ok" door="lit">
						RUNNING
					</Chip>
				</ListRow>
				<ListRow lead={<Tile initials="R1" />} title="Reader 1" second="reader1@example.org" />
			</ul>
			<ReorderList label="Order" items={items} onMove={move} />
		</Part>
	);
}

export function Tables() {
	return (
		<Part name="Table, cards on a phone">
			<PageHeader
				heading={<h3>Modules</h3>}
				sub="2 running, 1 blocked"
				actions={
					<Button kind="primary" icon="plus">
						Add
					</Button>
				}
			/>
			<Table
				label="Modules"
				rows={modules}
				rowId={({ id }) => id}
				columns={[
					{
						id: "name",
						head: "Module",
						part: "title",
						cell: ({ name, icon }) => (
							<span class="d-row">
								<Tile icon={icon} />
								<span class="d-name">{name}</span>
							</span>
						),
					},
					{
						id: "state",
						head: "State",
						cell: (_, at) =>
							at === 1 ? (
								<Chip tone="bad" door="barred">
									BLOCKED
								</Chip>
							) : (
								<Chip tone="ok" door="lit">
									RUNNING
								</Chip>
							),
					},
					{
						id: "actions",
						head: "Actions",
						hideHead: true,
						part: "actions",
						cell: ({ name }) => (
							<Button kind="text" label={`Settings of ${name}`}>
								Settings
							</Button>
						),
					},
				]}
			/>
		</Part>
	);
}
